/** The order of keys. */
import assert from "node:assert/strict";
import { all, bytes, type Case, done, eventsUntil, keysOf, put, text } from "./helpers.ts";

export function orders(promise: Case): void {
  const inByteOrder = ["constructor", "x-y/a", "x/a", "x0", "x\u{7f}", "x\u{e9}", "x\u{fffd}", "x\u{1f600}", "y", "__proto__"];

  promise("list() sorts keys by their UTF-8 bytes", async (store) => {
    for (const key of inByteOrder.toReversed()) await put(store, key, key);
    const sorted = ["__proto__", ...inByteOrder.slice(0, -1)];
    assert.deepEqual(keysOf((await store.list(all)).entries), sorted);
    assert.deepEqual(keysOf((await store.list({ prefix: "x" })).entries), sorted.slice(2, -1));
    for (const [index, after] of sorted.entries()) {
      assert.deepEqual(keysOf((await store.list({ prefix: "", after }, { limit: 1 })).entries), sorted.slice(index + 1, index + 2));
    }
    for (const key of sorted) assert.equal((await store.get(key)).entry?.key, key);
  });

  promise("keys and values keep their bytes, also zero bytes and empty ones", async (store) => {
    const unusual = ["a\0b", "a\0c", "\u{feff}mark", "a"];
    for (const key of unusual) await put(store, key, key);
    for (const key of unusual) assert.deepEqual(text((await store.get(key)).entry?.value), key);
    assert.equal((await store.list({ prefix: "a\0" })).count, 2);
    const value = Uint8Array.from({ length: 256 }, (_, index) => index);
    await done(store, { key: "bytes", expect: "absent", value });
    await done(store, { key: "none", expect: "absent", value: new Uint8Array(0) });
    assert.deepEqual(new Uint8Array((await store.get("bytes")).entry?.value ?? []), value);
    assert.equal((await store.get("none")).entry?.value.byteLength, 0);
    const { revision } = await store.get("none");
    const [event] = await eventsUntil(store, { prefix: "none" }, revision - 1, revision);
    assert.equal(event?.value?.byteLength, 0);
  });

  promise("of a value that is a view of a larger buffer only the view is stored", async (store) => {
    const slab = bytes("beforeVALUEafter");
    await done(store, { key: "view", expect: "absent", value: slab.subarray(6, 11) });
    assert.equal(text((await store.get("view")).entry?.value), "VALUE");
  });
}
