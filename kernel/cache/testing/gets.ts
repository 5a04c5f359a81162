/** One object, at every version that can be asked for. */
import assert from "node:assert/strict";
import { get, list, noteOf, put, remove } from "./fixture.ts";
import { type Case, future, refusedBy } from "./case.ts";

export function gets(promise: Case): void {
  promise("get() shows every write that was answered before it", async (room) => {
    assert.equal(await get(room, "a"), undefined);
    for (let round = 0; round < 20; round++) {
      const revision = await put(room, "a", { data: { round: `${round}` } });
      const item = await get(room, "a");
      assert.equal(item?.revision, revision);
      assert.deepEqual(item?.object, {
        ...noteOf("a", { data: { round: `${round}` } }),
        metadata: { ...noteOf("a").metadata, resourceVersion: `${revision}` },
      });
    }
    await remove(room, "a");
    assert.equal(await get(room, "a"), undefined);
  });

  promise("get() at a version shows that one or a later one", async (room) => {
    const old = await put(room, "a");
    const young = await put(room, "a");
    assert.equal((await get(room, "a", `${young}`))?.revision, young);
    assert.equal((await get(room, "a", `${old}`))?.revision, young);
    assert.equal((await get(room, "a", "0"))?.revision, young);
  });

  promise("get() of nonsense is refused in upstream's words", async (room) => {
    const text = 'resourceVersion: Invalid value: "soon": strconv.ParseUint: parsing "soon": invalid syntax';
    await refusedBy(() => get(room, "a", "soon"), 500, text);
    await refusedBy(() => get(room, "a", "soon", { plural: "scraps" }), 400, `invalid resource version: ${text}`);
  });

  promise("reads of a version that does not come end with 504 and a cause", async (room) => {
    await put(room, "a");
    const tries = [
      () => get(room, "a", `${future}`),
      () => list(room, `resourceVersion=${future}`),
      () => list(room, `resourceVersion=${future}&resourceVersionMatch=Exact`),
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

  promise("reads of a version that comes while they wait are served", async (room) => {
    const revision = await put(room, "a");
    const waiting = [get(room, "a", `${revision + 1}`), list(room, `resourceVersion=${revision + 1}`)] as const;
    const next = await put(room, "a");
    assert.equal(next, revision + 1);
    assert.equal((await waiting[0])?.revision, next);
    assert.ok((await waiting[1]).page.revision >= next);
  });

  promise("reads end with the reason of their signal", async (room) => {
    const reason = new Error("enough");
    const live = new AbortController();
    const waiting = get(room, "a", `${future}`, {}, live.signal);
    live.abort(reason);
    await assert.rejects(waiting, reason);
  });
}
