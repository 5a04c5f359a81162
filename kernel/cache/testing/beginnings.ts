/** What a watch begins with, and its bookmarks. */
import assert from "node:assert/strict";
import { list, put, remove, revisionOfEvent, type Room, type SeenEvent, startWatch, told } from "./fixture.ts";
import { type Case, future } from "./case.ts";

export function beginnings(promise: Case): void {
  promise("watch() without a version begins with what is there and the bookmark that ends it", async (room) => {
    await put(room, "c");
    const last = await put(room, "a");
    for (
      const query of [
        "",
        "sendInitialEvents=1&resourceVersionMatch=NotOlderThan",
        "resourceVersion=0",
        `resourceVersion=${last}&sendInitialEvents=1&resourceVersionMatch=NotOlderThan`,
      ]
    ) {
      const watch = await startWatch(room, `${query}&allowWatchBookmarks=1`);
      const [a, c, end] = await watch.has(3);
      assert.deepEqual([a?.object.metadata.name, c?.object.metadata.name, end?.type], ["a", "c", "BOOKMARK"]);
      assert.deepEqual(end?.object.metadata.annotations, { end: "true" });
      assert.ok(revisionOfEvent(end!) >= last);
      await watch.stop();
    }
    const silent = await startWatch(room, "");
    await silent.has(2);
    const next = await put(room, "d");
    await silent.reached(next);
    assert.deepEqual((await silent.stop()).map(({ type }) => type), ["ADDED", "ADDED", "ADDED"]);
  });

  promise("watch() without initial events begins at the newest state", async (room) => {
    await put(room, "a");
    const watch = await startWatch(room, "sendInitialEvents=0&resourceVersionMatch=NotOlderThan");
    // The stream has begun once something is asked of it; the marker is behind whatever it began at.
    await list(room);
    let last = 0;
    for (let round = 0; watch.events.length === 0; round++) last = await put(room, "marker", { data: { round: `${round}` } });
    await watch.reached(last);
    assert.deepEqual([...new Set((await watch.stop()).map(({ object }) => object.metadata.name))], ["marker"]);
  });

  promise(
    "a streamed list of an old version shows what is there now; of a version that does not come it ends with ERROR 504",
    async (room) => {
      const old = await put(room, "a", { data: { k: "old" } });
      await put(room, "c");
      await remove(room, "c");
      const young = await put(room, "a", { data: { k: "new" } });
      await list(room);
      const how = "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1";
      const watch = await startWatch(room, `${how}&resourceVersion=${old}`);
      await watch.has(2);
      assert.deepEqual(told(await watch.stop())[0], `ADDED a ${young}`);
      const never = await startWatch(room, `${how}&resourceVersion=${future}`);
      await never.ended;
      assert.deepEqual(never.events.map(({ type, object }) => [type, object.code]), [["ERROR", 504]]);
    },
  );

  promise("the time of a watch begins once the state is there that it begins with, and one without time tells nothing", async (room) => {
    await put(room, "a");
    const how = "sendInitialEvents=1&resourceVersionMatch=NotOlderThan";
    const never = await startWatch(room, `${how}&resourceVersion=${future}`, { ms: 1 });
    await never.ended;
    assert.deepEqual(never.events.map(({ type, object }) => [type, object.code]), [["ERROR", 504]]);
    for (const query of ["", "resourceVersion=0", `${how}&resourceVersion=${future}`]) {
      const over = await startWatch(room, query, { ms: 0 });
      await over.ended;
      assert.deepEqual(over.events, []);
    }
  });

  promise("watch() begun while others write neither misses nor repeats anything", async (room) => {
    let enough = false;
    const writing = Promise.all(["a", "b", "c"].map(async (name) => {
      for (let round = 0; !enough; round++) await (round % 5 === 4 ? remove(room, name) : put(room, name, { data: { round: `${round}` } }));
    }));
    try {
      for (let round = 0; round < 10; round++) {
        const watch = await startWatch(room, "allowWatchBookmarks=1");
        await watch.has(12);
        const events = await watch.stop();
        const { revision } = (await list(room)).page;
        assertReplays(events, await startAndStop(room, events, revision));
      }
    } finally {
      enough = true;
      await writing;
    }
  });
}

/** All that happened from the beginning of a watch to its last event, by a second watch from there. */
async function startAndStop(room: Room, events: readonly SeenEvent[], revision: number): Promise<readonly SeenEvent[]> {
  const end = events.findIndex(({ type }) => type === "BOOKMARK");
  const from = revisionOfEvent(events[end]!);
  const watch = await startWatch(room, `resourceVersion=${from}`);
  const last = Math.max(...events.slice(end + 1).map(revisionOfEvent), 0);
  assert.ok(revision >= last);
  if (last > from) await watch.reached(last);
  return (await watch.stop()).filter((event) => revisionOfEvent(event) <= last);
}

function assertReplays(events: readonly SeenEvent[], again: readonly SeenEvent[]): void {
  const end = events.findIndex(({ type }) => type === "BOOKMARK");
  assert.deepEqual(events.slice(end + 1).filter(({ type }) => type !== "BOOKMARK"), again);
}
