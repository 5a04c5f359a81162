/** The initial events of watches, and bookmarks. */
import assert from "node:assert/strict";
import { type Fixture, list, put, remove, revisionOfEvent, type SeenEvent, startWatch, summaries } from "./fixture.ts";
import { type Case, future } from "./case.ts";

export function initialState(promise: Case): void {
  promise("watch() without a version begins with the present state and a bookmark after it", async (fixture) => {
    await put(fixture, "c");
    const last = await put(fixture, "a");
    for (
      const query of [
        "",
        "sendInitialEvents=1&resourceVersionMatch=NotOlderThan",
        "resourceVersion=0",
        `resourceVersion=${last}&sendInitialEvents=1&resourceVersionMatch=NotOlderThan`,
      ]
    ) {
      const watch = await startWatch(fixture, `${query}&allowWatchBookmarks=1`);
      const [a, c, end] = await watch.has(3);
      assert.deepEqual([a?.object.metadata.name, c?.object.metadata.name, end?.type], ["a", "c", "BOOKMARK"]);
      assert.deepEqual(end?.object.metadata.annotations, { end: "true" });
      assert.ok(revisionOfEvent(end!) >= last);
      await watch.stop();
    }
    const silent = await startWatch(fixture, "");
    await silent.has(2);
    const next = await put(fixture, "d");
    await silent.reached(next);
    assert.deepEqual((await silent.stop()).map(({ type }) => type), ["ADDED", "ADDED", "ADDED"]);
  });

  promise("watch() without initial events begins at the newest state", async (fixture) => {
    await put(fixture, "a");
    const watch = await startWatch(fixture, "sendInitialEvents=0&resourceVersionMatch=NotOlderThan");
    // The stream begins at its first read; the marker is written after that revision.
    await list(fixture);
    let last = 0;
    for (let round = 0; watch.events.length === 0; round++) last = await put(fixture, "marker", { data: { round: `${round}` } });
    await watch.reached(last);
    assert.deepEqual([...new Set((await watch.stop()).map(({ object }) => object.metadata.name))], ["marker"]);
  });

  promise(
    "a streamed list at an old version shows the present state; at a version that is not reached it ends with ERROR 504",
    async (fixture) => {
      const old = await put(fixture, "a", { data: { k: "old" } });
      await put(fixture, "c");
      await remove(fixture, "c");
      const young = await put(fixture, "a", { data: { k: "new" } });
      await list(fixture);
      const how = "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1";
      const watch = await startWatch(fixture, `${how}&resourceVersion=${old}`);
      await watch.has(2);
      assert.deepEqual(summaries(await watch.stop())[0], `ADDED a ${young}`);
      const never = await startWatch(fixture, `${how}&resourceVersion=${future}`);
      await never.ended;
      assert.deepEqual(never.events.map(({ type, object }) => [type, object.code]), [["ERROR", 504]]);
    },
  );

  promise(
    "the timeout of a watch begins when its initial state is known, and a watch with a zero timeout has no events",
    async (fixture) => {
      await put(fixture, "a");
      const how = "sendInitialEvents=1&resourceVersionMatch=NotOlderThan";
      const never = await startWatch(fixture, `${how}&resourceVersion=${future}`, { ms: 1 });
      await never.ended;
      assert.deepEqual(never.events.map(({ type, object }) => [type, object.code]), [["ERROR", 504]]);
      for (const query of ["", "resourceVersion=0", `${how}&resourceVersion=${future}`]) {
        const over = await startWatch(fixture, query, { ms: 0 });
        await over.ended;
        assert.deepEqual(over.events, []);
      }
    },
  );

  promise("watch() begun while others write neither misses nor repeats anything", async (fixture) => {
    let enough = false;
    const writing = Promise.all(["a", "b", "c"].map(async (name) => {
      for (let round = 0; !enough; round++) {
        await (round % 5 === 4 ? remove(fixture, name) : put(fixture, name, { data: { round: `${round}` } }));
      }
    }));
    try {
      for (let round = 0; round < 10; round++) {
        const watch = await startWatch(fixture, "allowWatchBookmarks=1");
        await watch.has(12);
        const events = await watch.stop();
        const { revision } = (await list(fixture)).page;
        assertReplays(events, await startAndStop(fixture, events, revision));
      }
    } finally {
      enough = true;
      await writing;
    }
  });
}

/** All events from the beginning of a watch to its last event, read by a second watch. */
async function startAndStop(fixture: Fixture, events: readonly SeenEvent[], revision: number): Promise<readonly SeenEvent[]> {
  const end = events.findIndex(({ type }) => type === "BOOKMARK");
  const from = revisionOfEvent(events[end]!);
  const watch = await startWatch(fixture, `resourceVersion=${from}`);
  const last = Math.max(...events.slice(end + 1).map(revisionOfEvent), 0);
  assert.ok(revision >= last);
  if (last > from) await watch.reached(last);
  return (await watch.stop()).filter((event) => revisionOfEvent(event) <= last);
}

function assertReplays(events: readonly SeenEvent[], again: readonly SeenEvent[]): void {
  const end = events.findIndex(({ type }) => type === "BOOKMARK");
  assert.deepEqual(events.slice(end + 1).filter(({ type }) => type !== "BOOKMARK"), again);
}
