/** A kind that is not cached. */
import assert from "node:assert/strict";
import { get, list, put, startWatch } from "./fixture.ts";
import { type Case, future, refusedBy } from "./case.ts";

export function uncached(promise: Case): void {
  promise("kinds without a cache keep the limit at version 0 and reject a future version at once", async (fixture) => {
    const scraps = { plural: "scraps", namespace: "" };
    await put(fixture, "a", scraps);
    await put(fixture, "b", scraps);
    const { page } = await list(fixture, "resourceVersion=0&limit=1", scraps);
    assert.deepEqual([page.items.length, page.remaining], [1, 1]);
    assert.equal((await list(fixture, `resourceVersion=0&limit=1&continue=${page.continue}`, scraps)).page.continue, "");
    for (const act of [() => list(fixture, `resourceVersion=${future}`, scraps), () => get(fixture, "a", `${future}`, scraps)]) {
      const { details } = await refusedBy(act, 504, /^Timeout: Too large resource version/);
      assert.equal(details?.retryAfterSeconds, undefined);
    }
    const how = "sendInitialEvents=1&resourceVersionMatch=NotOlderThan";
    const early = await startWatch(fixture, `${how}&resourceVersion=${future}`, { ...scraps, ms: 1 });
    await early.ended;
    assert.deepEqual(early.events.map(({ type, object }) => [type, object.code]), [["ERROR", 504]]);
    const watch = await startWatch(fixture, "resourceVersion=0", scraps);
    await watch.has(2);
    const last = await put(fixture, "c", scraps);
    await watch.reached(last);
    assert.deepEqual((await watch.stop()).map(({ type, object }) => `${type} ${object.metadata.name}`), ["ADDED a", "ADDED b", "ADDED c"]);
  });

  promise("watch() of a kind without a cache reports a compacted version with the store's message", async (fixture) => {
    const first = await put(fixture, "a", { plural: "scraps", namespace: "" });
    await fixture.store.compact(await put(fixture, "b"));
    const messages = async (plural: string) => {
      const watch = await startWatch(fixture, `resourceVersion=${first}`, { plural });
      await watch.ended;
      return watch.events.map(({ type, object: { code, message } }) => `${type} ${code} ${message}`);
    };
    assert.deepEqual(await messages("scraps"), ["ERROR 410 The resourceVersion for the provided watch is too old."]);
    assert.match((await messages("notes")).join(), /^ERROR 410 too old resource version: \d+ \(\d+\)$/);
  });
}
