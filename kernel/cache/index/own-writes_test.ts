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

test("OwnWrites.isWritten() holds from the start of a deletion until its event, also where a write follows", async () => {
  const store = await openSqlite(":memory:");
  const own = ownWrites(store, () => true, () => {});
  const first = await own.store.commit({ key: "/a", expect: "absent", value: bytes("1") });
  assert.ok(first.done);
  own.known("/a", bytes("1"));
  const deleting = own.store.commit({ key: "/a", expect: first.revision, value: undefined });
  assert.equal(own.isWritten("/a"), true);
  assert.equal((await deleting).done, true);
  assert.equal(own.isWritten("/a"), true);
  const value = bytes("2");
  assert.equal((await own.store.commit({ key: "/a", expect: "absent", value })).done, true);
  own.deleted("/a");
  assert.equal(own.isWritten("/a"), true, "the event of the deletion is not that of the write");
  assert.equal(own.known("/a", bytes("2")), value);
  assert.equal(own.isWritten("/a"), false);
  assert.equal((await own.store.commit({ key: "/a", expect: 1, value: undefined })).done, false);
  assert.equal(own.isWritten("/a"), false, "a deletion that lost");
  const { entry } = await own.store.get("/a");
  await own.store.commit({ key: "/a", expect: entry!.revision, value: undefined });
  own.deleted("/a");
  assert.equal(own.isWritten("/a"), false);
  await store.close();
});
