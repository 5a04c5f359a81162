/** Reads of keys and ranges, now and at a revision. */
import assert from "node:assert/strict";
import type { Range, Revision } from "../../kernel/store/store.ts";
import { all, type Case, keysOf, put, remove, shown } from "./helpers.ts";

export function reads(promise: Case): void {
  promise("list() reads the range as it was at a revision", async (store) => {
    const a1 = await put(store, "a", "1");
    const b1 = await put(store, "b", "1");
    const a2 = await put(store, "a", "2", a1);
    const gone = await remove(store, "b", b1);
    const a3 = await put(store, "b", "3");
    const at = async (revision: Revision) => {
      const listing = await store.list(all, { at: revision });
      assert.equal(listing.revision, revision);
      assert.equal(listing.count, listing.entries.length);
      return listing.entries.map(shown);
    };
    assert.deepEqual(await at(a1), [["a", "1", a1]]);
    assert.deepEqual(await at(b1), [["a", "1", a1], ["b", "1", b1]]);
    assert.deepEqual(await at(a2), [["a", "2", a2], ["b", "1", b1]]);
    assert.deepEqual(await at(gone), [["a", "2", a2]]);
    assert.deepEqual(await at(a3), [["a", "2", a2], ["b", "3", a3]]);
    const newest = await store.list(all);
    assert.deepEqual([newest.revision, newest.entries.map(shown)], [a3, [["a", "2", a2], ["b", "3", a3]]]);
  });

  promise("list() pages by limit and after, and counts the remaining keys of the range", async (store) => {
    for (const key of ["p/1", "p/2", "p/3", "p/4", "q/1"]) await put(store, key, key);
    const { revision } = await store.get("p/1");
    await put(store, "p/5", "later");
    const pages: [string[], number][] = [];
    let after: string | undefined;
    while (pages.length < 10) {
      const listing = await store.list({ prefix: "p/", ...(after === undefined ? {} : { after }) }, { limit: 3, at: revision });
      assert.equal(listing.revision, revision);
      pages.push([keysOf(listing.entries), listing.count]);
      after = listing.entries.at(-1)?.key;
      if (listing.count === listing.entries.length) break;
    }
    assert.deepEqual(pages, [[["p/1", "p/2", "p/3"], 4], [["p/4"], 1]]);
    const newest = await store.list({ prefix: "p/" }, { limit: 4 });
    assert.deepEqual([keysOf(newest.entries), newest.count], [["p/1", "p/2", "p/3", "p/4"], 5]);
    const exact = await store.list({ prefix: "p/" }, { limit: 5 });
    assert.deepEqual([exact.entries.length, exact.count], [5, 5]);
    assert.deepEqual((await store.list({ prefix: "p/", after: "p/5" }, { limit: 3 })).count, 0);
  });

  promise("list() without counting returns only whether there is more", async (store) => {
    for (const key of ["p/1", "p/2", "p/3", "p/4"]) await put(store, key, key);
    const { revision } = await store.get("p/1");
    await put(store, "p/0", "later");
    for (const [limit, more] of [[2, true], [3, true], [4, false], [5, false]] as const) {
      const { entries, count } = await store.list({ prefix: "p/" }, { limit, at: revision, counted: false });
      assert.deepEqual([keysOf(entries), count > entries.length], [["p/1", "p/2", "p/3", "p/4"].slice(0, limit), more]);
    }
    const { entries, count } = await store.list({ prefix: "p/", after: "p/3" }, { limit: 1, counted: false });
    assert.deepEqual([keysOf(entries), count], [["p/4"], 1]);
  });

  promise("list() up to a key includes it, and no later one", async (store) => {
    for (const key of ["p/1", "p/2", "p/3", "q/1"]) await put(store, key, key);
    const { revision } = await store.get("p/1");
    const keys = async (range: Range, at?: Revision) => keysOf((await store.list(range, at === undefined ? {} : { at })).entries);
    for (const at of [undefined, revision]) {
      assert.deepEqual(await keys({ prefix: "p/", upTo: "p/2" }, at), ["p/1", "p/2"]);
      assert.deepEqual(await keys({ prefix: "p/", after: "p/1", upTo: "p/2" }, at), ["p/2"]);
      assert.deepEqual(await keys({ prefix: "p/", after: "p/2", upTo: "p/2" }, at), []);
      assert.deepEqual(await keys({ prefix: "p/", upTo: "p/1a" }, at), ["p/1"]);
      assert.deepEqual(await keys({ prefix: "p/", upTo: "q/1" }, at), ["p/1", "p/2", "p/3"]);
      assert.deepEqual(await keys({ prefix: "", upTo: "p/1" }, at), ["p/1"]);
    }
  });

  promise("list() up to a key leaves out the same key with a zero byte after it", async (store) => {
    for (const key of ["p/1", "p/2", "p/2\0", "p/2\0a", "p/2\u0001", "p/3"]) await put(store, key, key);
    for (const [upTo, expected] of [["p/2", ["p/1", "p/2"]], ["p/2\0", ["p/1", "p/2", "p/2\0"]]] as const) {
      for (const prefix of ["p/", ""]) {
        const { entries, count } = await store.list({ prefix, upTo });
        assert.deepEqual([keysOf(entries), count], [expected, expected.length]);
      }
    }
  });

  promise("list() without values returns every key with its revision", async (store) => {
    for (const key of ["p/1", "p/2", "p/3"]) await put(store, key, key);
    const shown = async (valued: boolean) => {
      const { entries, count } = await store.list({ prefix: "p/" }, { limit: 2, valued });
      return [entries.map(({ key, revision }) => [key, revision]), count];
    };
    assert.deepEqual(await shown(false), await shown(true));
  });

  promise("list() at every revision of a history returns and counts the entries at it, page by page", async (store) => {
    const keys = Array.from({ length: 7 }, (_, index) => `p/${index}`);
    const there = new Map<string, [string, Revision]>();
    const states = new Map<Revision, (readonly [string, string, Revision])[]>();
    // Each key is created, changed, deleted and created again, at its own rhythm; another key changes all the time.
    for (let step = 0; step < 60; step++) {
      const key = step % 5 === 4 ? "q/beside" : keys[step * 3 % keys.length]!;
      const before = there.get(key);
      const goes = before !== undefined && step % 3 === 0;
      const revision = goes ? await remove(store, key, before[1]) : await put(store, key, `v${step}`, before?.[1]);
      if (goes) there.delete(key);
      else there.set(key, [`v${step}`, revision]);
      const inRange = [...there].filter(([each]) => each.startsWith("p/")).toSorted(([a], [b]) => a < b ? -1 : 1);
      states.set(revision, inRange.map(([each, [value, own]]) => [each, value, own] as const));
    }
    for (const [at, expected] of states) {
      const seen: ReturnType<typeof shown>[] = [];
      let after: string | undefined;
      while (seen.length < expected.length) {
        const { entries, count } = await store.list({ prefix: "p/", ...(after === undefined ? {} : { after }) }, { limit: 2, at });
        assert.equal(count, expected.length - seen.length, `at ${at} after ${after}`);
        seen.push(...entries.map(shown));
        after = entries.at(-1)?.key;
      }
      assert.deepEqual(seen, expected);
    }
  });

  promise("list() takes a prefix to its end and not one key further", async (store) => {
    for (const key of ["o", "p", "p.", "p/", "p/a", "p/\u{10ffff}", "p0", "p\u{ff}"]) await put(store, key, key);
    const keys = async (range: Range) => keysOf((await store.list(range)).entries);
    assert.deepEqual(await keys({ prefix: "p/" }), ["p/", "p/a", "p/\u{10ffff}"]);
    assert.deepEqual(await keys({ prefix: "p" }), ["p", "p.", "p/", "p/a", "p/\u{10ffff}", "p0", "p\u{ff}"]);
    assert.deepEqual(await keys({ prefix: "p/b" }), []);
    assert.deepEqual(await keys({ prefix: "p/", after: "p/" }), ["p/a", "p/\u{10ffff}"]);
    assert.deepEqual(await keys({ prefix: "p/", after: "a" }), ["p/", "p/a", "p/\u{10ffff}"]);
    assert.deepEqual(await keys({ prefix: "p/", after: "z" }), []);
    assert.equal((await keys(all)).length, 8);
  });

  promise("newest() is the revision that a read would return, or undefined", async (store) => {
    const { revision } = await store.get("none");
    assert.equal(store.newest() ?? revision, revision);
    const written = await put(store, "a", "1");
    assert.equal(store.newest() ?? written, written);
    assert.equal((await store.get("a")).revision, written);
  });

  promise("get() and list() end with the signal's reason", async (store) => {
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await assert.rejects(store.get("a", signal), reason);
    await assert.rejects(store.list(all, { signal }), reason);
    const live = new AbortController();
    const reading = store.list(all, { signal: live.signal });
    live.abort(reason);
    await assert.rejects(reading, reason);
    assert.equal((await store.list(all)).count, 0);
  });
}
