/** Commits: expected revisions and results. */
import assert from "node:assert/strict";
import type { Revision } from "../../kernel/store/store.ts";
import { all, bytes, type Case, eventFields, eventsUntil, lost, put, remove, shown } from "./helpers.ts";

export function commits(promise: Case): void {
  promise("an empty store has a revision and no keys", async (store) => {
    const { entry, revision } = await store.get("a");
    assert.equal(entry, undefined);
    assert.ok(revision >= 1);
    assert.deepEqual(await store.list(all), { entries: [], revision, count: 0 });
  });

  promise("commit() creates, and each commit raises the revision by one", async (store) => {
    const { revision } = await store.get("a");
    assert.equal(await put(store, "a", "1"), revision + 1);
    assert.equal(await put(store, "b", "2"), revision + 2);
    const read = await store.get("a");
    assert.deepEqual(shown(read.entry), ["a", "1", revision + 1]);
    assert.equal(read.revision, revision + 2);
  });

  promise("commit() expecting absence loses against a key and hands it back", async (store) => {
    const first = await put(store, "a", "1");
    const second = await store.commit({ key: "a", expect: "absent", value: bytes("2") });
    assert.deepEqual(lost(second), ["a", "1", first]);
    assert.deepEqual(shown((await store.get("a")).entry), ["a", "1", first]);
    assert.equal((await store.get("a")).revision, first);
  });

  promise("commit() writes over the revision seen and over no other", async (store) => {
    const first = await put(store, "a", "1");
    const second = await put(store, "a", "2", first);
    assert.deepEqual(lost(await store.commit({ key: "a", expect: first, value: bytes("3") })), ["a", "2", second]);
    assert.deepEqual(lost(await store.commit({ key: "a", expect: second + 1, value: bytes("3") })), ["a", "2", second]);
    assert.deepEqual(lost(await store.commit({ key: "b", expect: second, value: bytes("3") })), undefined);
    assert.deepEqual(shown((await store.get("a")).entry), ["a", "2", second]);
  });

  promise("commit() deletes on the revision seen and on no other", async (store) => {
    const first = await put(store, "a", "1");
    const second = await put(store, "a", "2", first);
    assert.deepEqual(lost(await store.commit({ key: "a", expect: first, value: undefined })), ["a", "2", second]);
    assert.equal(await remove(store, "a", second), second + 1);
    assert.deepEqual(await store.get("a"), { entry: undefined, revision: second + 1 });
    assert.equal(lost(await store.commit({ key: "a", expect: second, value: undefined })), undefined);
    assert.equal((await store.get("a")).revision, second + 1);
  });

  promise("commit() creates a deleted key again as a new one", async (store) => {
    const first = await put(store, "a", "1");
    const gone = await remove(store, "a", first);
    assert.equal(lost(await store.commit({ key: "a", expect: first, value: bytes("2") })), undefined);
    assert.equal(await put(store, "a", "2"), gone + 1);
    const events = await eventsUntil(store, all, first - 1, gone + 1);
    assert.deepEqual(events.map(eventFields), [
      ["a", "1", first, undefined, undefined],
      ["a", undefined, gone, "1", first],
      ["a", "2", gone + 1, undefined, undefined],
    ]);
  });

  promise("commit() writes equal bytes as a new revision", async (store) => {
    const first = await put(store, "a", "1");
    assert.equal(await put(store, "a", "1", first), first + 1);
  });

  promise("commit() rejects a deletion that expects an absent key", async (store) => {
    await assert.rejects(store.commit({ key: "a", expect: "absent", value: undefined }));
  });

  promise("commit() with a time to live removes the key by itself, as an event", async (store) => {
    let lasting: Revision | undefined;
    while (lasting === undefined) {
      const kept = await put(store, "kept", "1", "absent", 1);
      // A writer after the expiry creates the key again.
      const again = await store.commit({ key: "kept", expect: kept, value: bytes("2") });
      if (again.done) lasting = again.revision;
    }
    const first = await put(store, "brief", "1", "absent", 1);
    const events = await eventsUntil(store, all, first, first + 1);
    assert.deepEqual(events.map(eventFields), [["brief", undefined, first + 1, "1", first]]);
    assert.deepEqual(await store.get("brief"), { entry: undefined, revision: first + 1 });
    assert.deepEqual(shown((await store.get("kept")).entry), ["kept", "2", lasting]);
  });
}
