import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../store/sqlite/sqlite.ts";
import { StoreError } from "../../store/store.ts";
import { ownWrites } from "./own-writes.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("OwnWrites.isWritten() holds from the start of a write until its event", async () => {
  const store = await openSqlite(":memory:");
  const own = ownWrites(store, () => true, () => {});
  const value = bytes("1");
  const writing = own.store.commit({ key: "/a", expect: "absent", value });
  assert.equal(own.isWritten("/a"), true);
  assert.equal((await writing).done, true);
  assert.equal(own.isWritten("/a"), true);
  assert.notEqual(own.known("/a", bytes("other")), value);
  assert.equal(own.isWritten("/a"), true, "the event of another writer");
  assert.equal(own.known("/a", bytes("1")), value);
  assert.equal(own.isWritten("/a"), false);
  await store.close();
});

test("OwnWrites.isWritten() ends with a write that lost or failed", async () => {
  const store = await openSqlite(":memory:");
  const own = ownWrites(store, () => true, () => {});
  assert.equal((await own.store.commit({ key: "/a", expect: 7, value: bytes("1") })).done, false);
  assert.equal(own.isWritten("/a"), false);
  await store.close();
  await assert.rejects(own.store.commit({ key: "/a", expect: "absent", value: bytes("1") }), StoreError);
  assert.equal(own.isWritten("/a"), false);
});
