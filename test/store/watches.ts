/** Watches: complete, in order, and resumable. */
import assert from "node:assert/strict";
import type { Revision } from "../../kernel/store/store.ts";
import { all, assertChained, type Case, eventFields, put, remove, startWatch, text } from "./helpers.ts";

export function watches(promise: Case): void {
  promise("watch() gives exactly the events after a revision, first from history, then live", async (store) => {
    const a1 = await put(store, "a", "1");
    const a2 = await put(store, "a", "2", a1);
    const b1 = await put(store, "b", "1");
    const watch = startWatch(store, all, a1);
    await watch.reached(b1);
    const gone = await remove(store, "a", a2);
    await watch.reached(gone);
    assert.deepEqual((await watch.stop()).map(eventFields), [
      ["a", "2", a2, "1", a1],
      ["b", "1", b1, undefined, undefined],
      ["a", undefined, gone, "2", a2],
    ]);
  });

  promise("watch() that need not have previous values gives the same events, with these or without", async (store) => {
    const a1 = await put(store, "a", "1"), range = { ...all, previous: false };
    const a2 = await put(store, "a", "2", a1);
    const watch = startWatch(store, range, a1);
    await watch.reached(a2);
    const b1 = await put(store, "b", "1"), gone = await remove(store, "a", a2);
    await watch.reached(gone);
    const events = await watch.stop();
    assert.deepEqual(events.map(eventFields).map((fields) => fields.slice(0, 3)), [["a", "2", a2], ["b", "1", b1], ["a", undefined, gone]]);
    const previous = events.filter((event) => event.previous !== undefined).map(eventFields);
    const whole = [["a", "2", a2, "1", a1], ["a", undefined, gone, "2", a2]];
    assert.deepEqual(previous, previous.length === 0 ? [] : whole);
  });

  promise("watch() from the newest revision gives nothing old, and from a future one waits for it", async (store) => {
    const first = await put(store, "a", "1");
    const newest = startWatch(store, all, first);
    const future = startWatch(store, all, first + 2);
    let last = first;
    for (let round = 0; round < 4; round++) last = await put(store, "a", `${round}`, last);
    await newest.reached(last);
    await future.reached(last);
    assert.deepEqual((await newest.stop()).map(({ revision }) => revision), [first + 1, first + 2, first + 3, first + 4]);
    assert.deepEqual((await future.stop()).map(({ revision }) => revision), [first + 3, first + 4]);
  });

  promise("watch() keeps to its range", async (store) => {
    const { revision } = await store.get("a");
    const watch = startWatch(store, { prefix: "p/" }, revision);
    const after = startWatch(store, { prefix: "p/", after: "p/a" }, revision);
    let last = revision;
    for (const key of ["o", "p", "p/", "p/a", "p0", "p/b"]) last = await put(store, key, key);
    await watch.reached(last);
    await after.reached(last);
    assert.deepEqual((await watch.stop()).map(({ key }) => key), ["p/", "p/a", "p/b"]);
    assert.deepEqual((await after.stop()).map(({ key }) => key), ["p/b"]);
  });

  promise("watch() orders events across keys by revision, without a gap or a repeat, for every watcher", async (store) => {
    const { revision } = await store.get("a");
    const written: Revision[] = [];
    const early = [startWatch(store, all, revision), startWatch(store, all, revision)];
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      let last: Revision | "absent" = "absent";
      for (let round = 0; round < 20; round++) written.push(last = await put(store, `key-${writer}`, `${round}`, last));
    });
    const late = startWatch(store, all, revision);
    await Promise.all(writers);
    written.sort((a, b) => a - b);
    for (const watch of [...early, late, startWatch(store, all, revision)]) {
      await watch.reached(written.at(-1) ?? 0);
      const events = await watch.stop();
      assert.deepEqual(events.map((event) => event.revision), written);
      assertChained(events);
    }
  });

  promise("watch() begun at any moment of a busy time is complete", async (store) => {
    const written = [await put(store, "a", "0")];
    const newest = () => written.at(-1) ?? 0;
    let enough = false;
    const writing = (async () => {
      while (!enough) written.push(await put(store, "a", `${written.length}`, newest()));
    })();
    const watched = await Promise.all(Array.from({ length: 20 }, async (_, round) => {
      for (let turns = 0; turns < round; turns++) await store.get("a");
      const from = written[Math.max(0, written.length - 1 - round)] ?? 0;
      const to = newest() + 10;
      const watch = startWatch(store, all, from);
      await watch.reached(to);
      return { from, to, events: await watch.stop() };
    })).finally(() => enough = true);
    await writing; // now `written` has every event of the watches
    for (const { from, to, events } of watched) {
      const seen = events.map(({ revision }) => revision).filter((revision) => revision <= to);
      assert.deepEqual(seen, written.filter((revision) => revision > from && revision <= to));
    }
  });

  promise("watch() reports progress up to the revision of a read, also without events of its range", async (store) => {
    const { revision } = await store.get("a");
    const quiet = startWatch(store, { prefix: "quiet/" }, revision);
    for (let round = 0; round < 3; round++) {
      await put(store, `busy/${round}`, "1");
      await quiet.reached((await store.get("quiet/a")).revision);
    }
    const last = await put(store, "quiet/a", "1");
    await quiet.reached(last);
    assert.deepEqual((await quiet.stop()).map(({ key }) => key), ["quiet/a"]);
  });

  promise("watch() of a part of a wider range reports progress, returns only its part, and writes no key in the whole", async (store) => {
    const { revision } = await store.get("a");
    const part = startWatch(store, { prefix: "whole/b/", within: "whole/" }, revision);
    for (const key of ["a", "whole/a/1", "whole/b/1", "whole/b0", "whole/c/1"]) {
      await put(store, key, "1");
      await part.reached((await store.get("a")).revision);
    }
    assert.deepEqual((await part.stop()).map(({ key }) => key), ["whole/b/1"]);
    const { entries } = await store.list({ prefix: "whole/" });
    assert.deepEqual(entries.map(({ key, value }) => [key, text(value)]), [
      ["whole/a/1", "1"],
      ["whole/b/1", "1"],
      ["whole/b0", "1"],
      ["whole/c/1", "1"],
    ]);
  });

  promise("watch() ends normally when its signal aborts, before, between and while it waits", async (store) => {
    const revision = await put(store, "a", "1");
    for await (const _ of store.watch(all, revision - 1, AbortSignal.abort())) assert.fail("a batch after the abort");
    const between = new AbortController();
    for await (const batch of store.watch(all, revision - 1, between.signal)) {
      if (batch.events.length > 0) between.abort();
    }
    const waits = startWatch(store, all, revision);
    await put(store, "b", "1");
    await waits.reached(revision + 1);
    assert.equal((await waits.stop()).length, 1);
  });

  promise("watch() can be left in the middle", async (store) => {
    const revision = await put(store, "a", "1");
    await put(store, "b", "1");
    for await (const batch of store.watch(all, revision - 1, new AbortController().signal)) {
      if (batch.events.length > 0) break;
    }
    assert.equal((await store.list(all)).count, 2);
  });
}
