import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf } from "../../kernel/cache/fill/pages.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../../kernel/store/store.ts";
import { type Route, routedStore, routesOf } from "./routed-store.ts";

const routes: readonly Route[] = [{ prefix: "/r/c/", store: 1 }, { prefix: "/r/e/", store: 2 }, { prefix: "/r/f/", store: 1 }];
const own = [["/r/a/1", "/r/b/1", "/r/b/2", "/r/d/1", "/r/z/1"], ["/r/c/1", "/r/c/2", "/r/f/1"], ["/r/e/1", "/r/e/2"]] as const;
const all = own.flat().toSorted();

/** Three stores with keys of their own, and with keys that their routes hide. */
async function opened(use: (store: Store, stores: readonly [Store, ...Store[]]) => Promise<void>): Promise<void> {
  const open = () => openSqlite(":memory:");
  const stores = [await open(), await open(), await open()] as const, store = routedStore(stores, () => routes);
  try {
    for (const [number, each] of stores.entries()) {
      for (const key of [...own[number]!, ...(number === 0 ? ["/r/c/hidden", "/r/f/hidden"] : ["/r/a/hidden"])]) {
        await each.commit({ key, expect: "absent", value: new TextEncoder().encode(key) });
      }
    }
    await use(store, stores);
  } finally {
    await store.close();
  }
}

test("routedStore() reads and writes a key in the store of its route", () =>
  opened(async (store, [first, second]) => {
    for (const key of ["/r/c/new", "/r/cc/new"]) await store.commit({ key, expect: "absent", value: new Uint8Array(1) });
    const has = async (of: Store | undefined, key: string) => (await of!.get(key)).entry !== undefined;
    assert.deepEqual([await has(first, "/r/c/new"), await has(second, "/r/c/new")], [false, true]);
    assert.deepEqual([await has(first, "/r/cc/new"), await has(second, "/r/cc/new")], [true, false]);
    assert.deepEqual([await has(store, "/r/c/new"), await has(store, "/r/c/hidden"), await has(store, "/r/e/1")], [true, false, true]);
    assert.equal(store.newest(), undefined);
  }));

test("routedStore() lists one route with the revision of its store", () =>
  opened(async (store, [, second]) => {
    const { entries, revision, count } = await store.list({ prefix: "/r/c/" }, { limit: 1 });
    assert.deepEqual(entries.map(({ key }) => key), ["/r/c/1"]);
    assert.deepEqual([count, revision], [2, (await second!.get("x")).revision]);
  }));

test("routedStore() lists a range of several routes in order, in pages of any size and from any key", () =>
  opened(async (store, [first]) => {
    const { revision } = await first.get("x");
    for (let limit = 1; limit <= all.length + 1; limit++) {
      for (const after of [undefined, "/r/b/1", "/r/c/1", "/r/c/2", "/r/e/9", "/r/z/1"]) {
        const rest = all.filter((key) => after === undefined || key > after);
        const listed = await store.list({ prefix: "/r/", ...(after === undefined ? {} : { after }) }, { limit });
        assert.deepEqual(listed.entries.map(({ key }) => key), rest.slice(0, limit), `${limit} after ${after}`);
        assert.deepEqual([listed.count, listed.revision], [rest.length, revision], `${limit} after ${after}`);
        const uncounted = await store.list({ prefix: "/r/", ...(after === undefined ? {} : { after }) }, { limit, counted: false });
        assert.deepEqual(uncounted.entries, listed.entries);
        assert.ok(uncounted.count >= uncounted.entries.length && (uncounted.count > limit || rest.length <= limit));
      }
    }
    const bounded = await store.list({ prefix: "/r/", after: "/r/b/1", upTo: "/r/e/1" });
    assert.deepEqual(bounded.entries.map(({ key }) => key), ["/r/b/2", "/r/c/1", "/r/c/2", "/r/d/1", "/r/e/1"]);
    const inOne = await store.list({ prefix: "/r/", after: "/r/c/1", upTo: "/r/c/9" });
    assert.deepEqual(inOne.entries.map(({ key }) => key), ["/r/c/2"]);
    const found: string[] = [];
    for await (const page of pagesOf(store, "/r/", undefined, new AbortController().signal)) found.push(...page.map(({ key }) => key));
    assert.deepEqual(found, all);
  }));

test("routesOf() has the keys of the overridden kinds", () => {
  const kind = (plural: string) => ({ under: `under/${plural}`, plural, group: "", resource: {} });
  const stored = [kind("b"), kind("c"), kind("a")] as any; // Of a kind no more is read.
  const places = { servers: [], resources: [], of: ({ plural }: { plural: string }) => plural === "b" ? 0 : 1 };
  assert.deepEqual(routesOf(places, "/r", { stored }), [{ prefix: "/r/under/a/", store: 1 }, { prefix: "/r/under/c/", store: 1 }]);
});

test("routedStore() streams a range of one store, and no wider one", () =>
  opened(async (_, stores) => {
    const streaming = stores.map((each, number): Store => ({
      ...each,
      stream: (range) =>
        Promise.resolve((async function* () {
          yield [{ key: `${number} ${range.prefix}`, value: new Uint8Array(), revision: 1 }];
        })()),
    })) as [Store, ...Store[]]; // as many as there were
    const store = routedStore(streaming, () => routes), { signal } = new AbortController();
    const streamed = async (prefix: string) => {
      const keys: string[] = [], pieces = await store.stream?.({ prefix }, 1, signal);
      for await (const piece of pieces ?? []) keys.push(...piece.map(({ key }) => key));
      return keys;
    };
    assert.deepEqual(await streamed("/r/c/"), ["1 /r/c/"]);
    assert.deepEqual(await streamed("/r/c/1"), ["1 /r/c/1"]);
    assert.deepEqual(await streamed("/r/a/"), ["0 /r/a/"]);
    assert.deepEqual(await streamed("/r/"), []);
    assert.equal(await routedStore(stores, () => routes).stream?.({ prefix: "/r/a/" }, 1, signal), undefined, "a store without streams");
  }));
