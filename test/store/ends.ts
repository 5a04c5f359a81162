/** Bounds of values, and closing a store. */
import assert from "node:assert/strict";
import { all, bytes, type Case, done, equal, eventsUntil, put, refused, startWatch } from "./helpers.ts";

export function bounds(promise: Case): void {
  promise("a value of 1.4 MB is returned whole by read, list and watch", async (store) => {
    const value = new Uint8Array(1_400_000).map((_, index) => index % 251);
    const first = await done(store, { key: "large", expect: "absent", value });
    const second = await done(store, { key: "large", expect: first, value: value.toReversed() });
    assert.ok(equal((await store.get("large")).entry?.value, value.toReversed()));
    assert.ok(equal((await store.list(all, { at: first })).entries[0]?.value, value));
    const [, event] = await eventsUntil(store, all, first - 1, second);
    assert.ok(equal(event?.value, value.toReversed()));
    assert.ok(equal(event?.previous?.value, value));
  });

  promise("a value above the store's bound is rejected and changes nothing", async (store) => {
    const { revision } = await store.get("large");
    for (const size of [1_600_000, 3_000_000]) {
      await refused("too-large", () => store.commit({ key: "large", expect: "absent", value: new Uint8Array(size) }), {
        message: "etcdserver: request is too large",
      });
    }
    assert.deepEqual(await store.get("large"), { entry: undefined, revision });
  });

  promise("a list of many megabytes is returned whole, and so is its history", async (store) => {
    const { revision } = await store.get("a");
    const value = new Uint8Array(1_000_000).fill(65);
    for (let index = 0; index < 8; index++) await done(store, { key: `large-${index}`, expect: "absent", value });
    const listing = await store.list(all);
    assert.equal(listing.entries.length, 8);
    assert.ok(listing.entries.every((entry) => entry.value.byteLength === value.byteLength));
    assert.equal((await eventsUntil(store, all, revision, revision + 8)).length, 8);
  });
}

export function ends(promise: Case): void {
  promise("close() ends watches and rejects later calls; it may be called twice", async (store) => {
    const revision = await put(store, "a", "1");
    const watch = startWatch(store, all, revision - 1);
    await watch.reached(revision);
    await Promise.all([store.close(), store.close()]);
    await refused("closed", () => watch.ended);
    await refused("closed", () => store.get("a"));
    await refused("closed", () => store.list(all));
    await refused("closed", () => store.commit({ key: "a", expect: revision, value: bytes("2") }));
    await refused("closed", () => store.compact(revision));
    await refused("closed", () => eventsUntil(store, all, revision, revision));
    await store.close();
  });
}
