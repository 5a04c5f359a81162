/** Watches from a version, and their ends. */
import assert from "node:assert/strict";
import {
  eventsOf,
  fastClock,
  list,
  noteOf,
  openWatch,
  put,
  remove,
  revisionOfEvent,
  type SeenEvent,
  startWatch,
  summaries,
  within,
} from "./fixture.ts";
import type { Case } from "./case.ts";

export function watches(promise: Case): void {
  promise("watch() from a version gives exactly the later events", async (fixture) => {
    const before = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${before}`);
    const b = await put(fixture, "b");
    const a = await put(fixture, "a", { data: { k: "v" } });
    const gone = await remove(fixture, "b");
    const again = await put(fixture, "b");
    await watch.reached(again);
    const expected = [`ADDED b ${b}`, `MODIFIED a ${a}`, `DELETED b ${gone}`, `ADDED b ${again}`];
    assert.deepEqual(summaries(await watch.stop()), expected);
    const later = await startWatch(fixture, `resourceVersion=${before}`);
    await later.reached(again);
    assert.deepEqual(summaries(await later.stop()), expected);
    const middle = await startWatch(fixture, `resourceVersion=${a}`);
    await middle.reached(again);
    assert.deepEqual(summaries(await middle.stop()), expected.slice(2));
  });

  promise("watch() shows a deleted object in its last state at the version of the deletion", async (fixture) => {
    const before = await put(fixture, "a", { data: { k: "last" }, labels: { l: "1" } });
    const watch = await startWatch(fixture, `resourceVersion=${before}`);
    const gone = await remove(fixture, "a");
    const [event] = await watch.reached(gone);
    const last = noteOf("a", { data: { k: "last" }, labels: { l: "1" } });
    assert.deepEqual(event, { type: "DELETED", object: { ...last, metadata: { ...last.metadata, resourceVersion: `${gone}` } } });
    await watch.stop();
  });

  promise("watch() from a future version waits, and gives only later events", async (fixture) => {
    const before = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${before + 2}&allowWatchBookmarks=1`);
    let last = before;
    for (let round = 0; round < 4; round++) last = await put(fixture, "a", { data: { round: `${round}` } });
    await watch.reached(last);
    assert.deepEqual(summaries(await watch.stop()), [`MODIFIED a ${before + 3}`, `MODIFIED a ${before + 4}`]);
  });

  promise("watch() from a compacted version ends with one ERROR of 410", async (fixture) => {
    const old = await put(fixture, "a");
    const young = await put(fixture, "a");
    const last = await put(fixture, "b");
    // The reads must have caught up: the cache's watch of the store starts again if it is behind a compaction, which ends its watches.
    const caughtUp = await startWatch(fixture, `resourceVersion=${old}`);
    await caughtUp.reached(last);
    await caughtUp.stop();
    await fixture.store.compact(young);
    const watch = await startWatch(fixture, `resourceVersion=${old}`);
    await watch.ended;
    const [event, ...rest] = watch.events;
    assert.deepEqual(rest, []);
    assert.deepEqual([event?.type, event?.object.code, event?.object.message], [
      "ERROR",
      410,
      `too old resource version: ${old} (${young})`,
    ]);
    const kept = await startWatch(fixture, `resourceVersion=${young}`);
    await kept.has(1);
    await kept.stop();
  });

  promise("watch() that is read late gets every event in order, each with its state at the time", async (fixture) => {
    const from = await put(fixture, "a");
    const { stream, stopping } = await openWatch(fixture, `resourceVersion=${from}`);
    const written: string[] = [];
    for (let round = 0; round < 30; round++) written.push(`MODIFIED ${await put(fixture, "a", { data: { round: `${round}` } })} ${round}`);
    await list(fixture);
    const seen: string[] = [];
    for await (const event of eventsOf(stream)) {
      seen.push(`${event.type} ${revisionOfEvent(event)} ${(event.object as { data?: { round?: string } }).data?.round}`);
      if (seen.length === written.length) break;
    }
    stopping.abort();
    assert.deepEqual(seen, written);
  });

  promise("bookmarks never go back, and every event up to a bookmark comes before it", async (fixture) => {
    const from = await put(fixture, "a");
    const written: number[] = [];
    let enough = false;
    const writing = (async () => {
      for (let round = 0; !enough; round++) {
        written.push(await put(fixture, "a", { data: { round: `${round}` } }));
        // A store in memory answers without a turn of the event loop, so the clock of the watches would not advance.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    })();
    const watching = await Promise.all(
      Array.from(
        { length: 8 },
        (_, index) => startWatch(fixture, `resourceVersion=${from}&allowWatchBookmarks=1`, { ms: 3_000 + 500 * index }),
      ),
    );
    await Promise.all(watching.map(({ ended }) => ended)).finally(() => enough = true);
    await writing;
    for (const { events } of watching) {
      const isMark = ({ type }: SeenEvent) => type === "BOOKMARK";
      for (const [index, mark] of events.entries()) {
        if (!isMark(mark)) continue;
        const upTo = revisionOfEvent(mark);
        const received = events.slice(0, index).filter((event) => !isMark(event)).map(revisionOfEvent);
        assert.deepEqual(received, written.filter((revision) => revision <= upTo));
      }
      const revisions = events.map(revisionOfEvent);
      assert.deepEqual(revisions, revisions.toSorted((a, b) => a - b));
    }
    // A watch that ends before its next read gets no bookmark.
    assert.ok(watching.some(({ events }) => events.some(({ type }) => type === "BOOKMARK")));
  });

  promise("a watch from a future version has no bookmark before the store reaches it", async (fixture) => {
    const from = await put(fixture, "a");
    const watch = await startWatch(fixture, `resourceVersion=${from + 1000}&allowWatchBookmarks=1`, { ms: 4_000 });
    await watch.ended;
    assert.deepEqual(watch.events, []);
  });

  promise("watch() ends at once when it has no time", async (fixture) => {
    const from = await put(fixture, "a");
    for (const ms of [0, -1]) {
      const { stream } = await openWatch(fixture, `resourceVersion=${from}`, { ms });
      const first = await within(stream[Symbol.asyncIterator]().next(), "the end of the watch");
      assert.equal(first.done, true, `${ms} ms`);
    }
  });

  promise("watch() ends when its time is up, and not before", async (fixture) => {
    const from = await put(fixture, "a");
    for (const ms of [1_000, 4_000]) {
      const begun = fastClock.now();
      const watch = await startWatch(fixture, `resourceVersion=${from}`, { ms });
      await watch.ended;
      assert.ok(fastClock.now() - begun >= ms, `${fastClock.now() - begun} of ${ms} ms`);
      assert.deepEqual(watch.events, []);
    }
  });

  promise("watch() keeps to its namespace, its kind and its object", async (fixture) => {
    const before = await put(fixture, "a");
    const inNamespace = await startWatch(fixture, `resourceVersion=${before}`);
    const all = await startWatch(fixture, `resourceVersion=${before}`, { namespace: "" });
    const one = await startWatch(fixture, `resourceVersion=${before}`, { name: "b" });
    const shelves = await startWatch(fixture, `resourceVersion=${before}`, { plural: "shelves", namespace: "" });
    await put(fixture, "b", { namespace: "other" });
    await put(fixture, "b");
    await put(fixture, "bb");
    await put(fixture, "s", { plural: "shelves" });
    await remove(fixture, "b");
    const last = await put(fixture, "a");
    const names = (events: readonly SeenEvent[]) =>
      events.map(({ type, object }) => `${type} ${object.metadata.namespace ?? ""}/${object.metadata.name}`);
    await all.reached(last);
    assert.deepEqual(names(await all.stop()), ["ADDED other/b", "ADDED ns/b", "ADDED ns/bb", "DELETED ns/b", "MODIFIED ns/a"]);
    await inNamespace.reached(last);
    assert.deepEqual(names(await inNamespace.stop()), ["ADDED ns/b", "ADDED ns/bb", "DELETED ns/b", "MODIFIED ns/a"]);
    await one.has(2);
    assert.deepEqual(names(await one.stop()), ["ADDED ns/b", "DELETED ns/b"]);
    await shelves.has(1);
    assert.deepEqual(names(await shelves.stop()), ["ADDED /s"]);
  });

  promise("watch() that is read gets a burst of many megabytes", async (fixture) => {
    const from = await put(fixture, "first");
    const watching = await Promise.all(Array.from({ length: 3 }, () => startWatch(fixture, `resourceVersion=${from}`)));
    // Written at once, so that the events arrive together.
    const names = Array.from({ length: 24 }, (_, index) => `large-${index}`);
    const revisions = await Promise.all(names.map((name) => put(fixture, name, { data: { k: "x".repeat(1_000_000) } })));
    for (const watch of watching) {
      await watch.reached(Math.max(...revisions));
      assert.deepEqual((await watch.stop()).map(({ object }) => object.metadata.name!).toSorted(), names.toSorted());
    }
  });
}
