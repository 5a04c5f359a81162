// Watches whose clients read late: each gets every event once and in order, and those at different positions share what they are sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withCache } from "../../../test/reads/bench.ts";
import { type Fixture, openWatch, put, revisionOfEvent, type SeenEvent } from "../../../test/reads/fixture.ts";
import { randomOf } from "../../../core/random.ts";

/** A watch that is read chunk by chunk, on demand. */
async function lateWatch(fixture: Fixture, query: string) {
  const { stream } = await openWatch(fixture, query);
  const reader = stream[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [], seen: number[] = [];
  let reading: Promise<void> | undefined, stopped = false;
  return {
    chunks,
    seen,
    /** Reads the next chunk; resolves when it is there. */
    read: () =>
      reading ??= (async () => {
        const { done = false, value } = await reader.next();
        if (done) return assert.ok(stopped, "it ended");
        chunks.push(value);
        for (const line of new TextDecoder().decode(value).trim().split("\n")) {
          seen.push(revisionOfEvent(JSON.parse(line) as SeenEvent));
        }
        reading = undefined;
      })(),
    stop() {
      stopped = true;
      return reader.return?.();
    },
  };
}

test("watches that are behind, each at a position of its own, are sent the same chunks from the second one on", () =>
  withCache(async ({ fixture }) => {
    const revisions = [await put(fixture, "a")];
    for (let at = 1; at < 10; at++) revisions.push(await put(fixture, "a", { data: { at: `${at}` } }));
    const watches = await Promise.all(revisions.map((from) => lateWatch(fixture, `resourceVersion=${from}`)));
    for (let at = 10; at < 300; at++) revisions.push(await put(fixture, "a", { data: { at: `${at}` } }));
    const last = revisions.at(-1);
    for (const watch of watches) while (watch.seen.at(-1) !== last) await watch.read();
    for (const [index, { seen, chunks }] of watches.entries()) {
      assert.deepEqual(seen, revisions.slice(index + 1));
      const first = watches[0]!.chunks;
      assert.ok(chunks.length > 3, `${chunks.length} chunks`);
      for (let at = 1; at < chunks.length; at++) assert.equal(chunks.at(-at), first.at(-at), `the chunk ${at} from the end`);
    }
    for (const watch of watches) await watch.stop();
  }));

test("watches that read at any time get each event once and in order, with a selector or without", () =>
  withCache(async ({ fixture }) => {
    const random = randomOf(41);
    const from = await put(fixture, "a");
    const queries = ["", "&labelSelector=half%3D0", "&fieldSelector=metadata.name%3Dn3"];
    const watches = await Promise.all(Array.from({ length: 30 }, async (_, index) => ({
      index,
      ...await lateWatch(fixture, `resourceVersion=${from}${queries[index % queries.length]}`),
    })));
    const wanted: number[][] = [[], [], []];
    for (let round = 0; round < 600; round++) {
      const at = Math.floor(random() * 8);
      const revision = await put(fixture, `n${at}`, { data: { round: `${round}` }, labels: { half: `${at % 2}` } });
      wanted[0]!.push(revision);
      if (at % 2 === 0) wanted[1]!.push(revision);
      if (at === 3) wanted[2]!.push(revision);
      for (const watch of watches) if (random() < 0.02 * (1 + watch.index % 5)) void watch.read();
    }
    for (const { index, seen, read } of watches) {
      const all = wanted[index % queries.length]!;
      while (seen.at(-1) !== all.at(-1)) await read();
      assert.deepEqual(seen, all);
    }
    for (const watch of watches) await watch.stop();
  }));

test("fallBehind() ends a watch as one with a slow client, and counts it once", () =>
  withCache(async ({ fixture, cache, counted }) => {
    const from = await put(fixture, "a");
    const { stream } = await openWatch(fixture, `resourceVersion=${from}`), chunks = stream[Symbol.asyncIterator]();
    await put(fixture, "b");
    assert.equal((await chunks.next()).done, false);
    const { fallBehind } = chunks as { fallBehind?(): void }; // `Reads` leaves the kind of iterator open.
    assert.ok(fallBehind !== undefined);
    for (let time = 0; time < 2; time++) fallBehind.call(chunks);
    assert.deepEqual(await counted("apiserver_terminated_watchers_total"), ['{resource="notes"} 1']);
    assert.equal((await chunks.next()).done, true);
    assert.equal(cache.size().watches, 0);
  }));
