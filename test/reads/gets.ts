/** Get of one object, at every kind of version. */
import assert from "node:assert/strict";
import { get, list, noteOf, put, remove } from "./fixture.ts";
import { type Case, future, refusedBy } from "./case.ts";

export function gets(promise: Case): void {
  promise("get() shows every write that was answered before it", async (fixture) => {
    assert.equal(await get(fixture, "a"), undefined);
    for (let round = 0; round < 20; round++) {
      const revision = await put(fixture, "a", { data: { round: `${round}` } });
      const item = await get(fixture, "a");
      assert.equal(item?.revision, revision);
      assert.deepEqual(item?.object, {
        ...noteOf("a", { data: { round: `${round}` } }),
        metadata: { ...noteOf("a").metadata, resourceVersion: `${revision}` },
      });
    }
    await remove(fixture, "a");
    assert.equal(await get(fixture, "a"), undefined);
  });

  promise("get() at a version shows that one or a later one", async (fixture) => {
    const old = await put(fixture, "a");
    const young = await put(fixture, "a");
    assert.equal((await get(fixture, "a", `${young}`))?.revision, young);
    assert.equal((await get(fixture, "a", `${old}`))?.revision, young);
    assert.equal((await get(fixture, "a", "0"))?.revision, young);
  });

  promise("get() of nonsense is refused in upstream's words", async (fixture) => {
    const text = 'resourceVersion: Invalid value: "soon": strconv.ParseUint: parsing "soon": invalid syntax';
    await refusedBy(() => get(fixture, "a", "soon"), 500, text);
    await refusedBy(() => get(fixture, "a", "soon", { plural: "scraps" }), 400, `invalid resource version: ${text}`);
  });

  promise("reads at a version that is not reached end with 504 and a cause", async (fixture) => {
    await put(fixture, "a");
    const tries = [
      () => get(fixture, "a", `${future}`),
      () => list(fixture, `resourceVersion=${future}`),
      () => list(fixture, `resourceVersion=${future}&resourceVersionMatch=Exact`),
    ];
    const errors = await Promise.all(
      tries.map((act) => refusedBy(act, 504, /^Timeout: Too large resource version: 999999999999, current: \d+$/)),
    );
    for (const { details } of errors) {
      assert.deepEqual(details, {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      });
    }
  });

  promise("reads at a version that is reached while they wait are served", async (fixture) => {
    const revision = await put(fixture, "a");
    const waiting = [get(fixture, "a", `${revision + 1}`), list(fixture, `resourceVersion=${revision + 1}`)] as const;
    const next = await put(fixture, "a");
    assert.equal(next, revision + 1);
    assert.equal((await waiting[0])?.revision, next);
    assert.ok((await waiting[1]).page.revision >= next);
  });

  promise("reads end with the reason of their signal", async (fixture) => {
    const reason = new Error("enough");
    const live = new AbortController();
    const waiting = get(fixture, "a", `${future}`, {}, live.signal);
    live.abort(reason);
    await assert.rejects(waiting, reason);
  });
}
