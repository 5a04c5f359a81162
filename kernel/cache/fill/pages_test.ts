import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../store/sqlite/sqlite.ts";
import type { Store } from "../../store/store.ts";
import { fillCountedMax, pagesOf } from "./pages.ts";

const { signal } = new AbortController();

/** A store with `count` entries of `bytes` bytes below `/a/`, and one other entry. */
async function filled(count: number, bytes: number): Promise<{ store: Store; keys: string[]; revision: number }> {
  const store = await openSqlite(":memory:", { requestBytesMax: 8 * 1024 * 1024 });
  const keys = Array.from({ length: count }, (_, index) => `/a/${String(index).padStart(5, "0")}`);
  for (const key of [...keys, "/b/0"]) await store.commit({ key, expect: "absent", value: new Uint8Array(bytes).fill(97) });
  return { store, keys, revision: (await store.get("/a/")).revision };
}

for (
  const { what, count, bytes, sizes } of [
    { what: "of small entries hold 2,000 of them", count: 2_100, bytes: 10, sizes: [16, 2_000, 84] },
    { what: "of large entries hold 4 MiB", count: 30, bytes: 1024 * 1024, sizes: [16, 4, 4, 4, 2] },
    { what: "hold one entry at least", count: 18, bytes: 5 * 1024 * 1024, sizes: [16, 1, 1] },
    { what: "of entries without bytes hold 2,000 of them", count: 17, bytes: 0, sizes: [16, 1] },
    { what: "end with the last entry", count: 16, bytes: 10, sizes: [16] },
    { what: "of an empty range are one empty page", count: 0, bytes: 0, sizes: [0] },
  ]
) {
  test(`pagesOf(): pages ${what}`, async () => {
    const { store, keys, revision } = await filled(count, bytes);
    const pages: string[][] = [];
    for await (const page of pagesOf(store, "/a/", revision, signal)) pages.push(page.map(({ key }) => key));
    assert.deepEqual(pages.map(({ length }) => length), sizes);
    assert.deepEqual(pages.flat(), keys);
    await store.close();
  });
}

test("pagesOf() reads a page while its caller works on the one before, and no further one", async () => {
  const { store, revision } = await filled(5_000, 10);
  let lists = 0;
  const counting: Store = {
    ...store,
    list(...args) {
      lists++;
      return store.list(...args);
    },
  };
  const pages = pagesOf(counting, "/a/", revision, signal);
  for (const listed of [2, 3, 4, 4]) {
    assert.notEqual((await pages.next()).done, true);
    assert.equal(lists, listed);
  }
  assert.equal((await pages.next()).done, true);
  await store.close();
});

test("pagesOf() of a page that cannot be read rejects after the one before", async () => {
  const { store, revision } = await filled(20, 10);
  let lists = 0;
  const failing: Store = { ...store, list: (...args) => lists++ === 0 ? store.list(...args) : Promise.reject(new Error("unreachable")) };
  const pages = pagesOf(failing, "/a/", revision, signal);
  assert.notEqual((await pages.next()).done, true);
  await assert.rejects(pages.next(), /unreachable/);
  await store.close();
});

test("pagesOf() reads one revision during concurrent writes", async () => {
  const { store, keys, revision } = await filled(40, 10);
  const seen: string[] = [];
  for await (const page of pagesOf(store, "/a/", revision, signal)) {
    seen.push(...page.map(({ key }) => key));
    const { entry } = await store.get("/a/00039");
    if (entry !== undefined) await store.commit({ key: entry.key, expect: entry.revision, value: undefined });
  }
  assert.deepEqual(seen, keys);
  await store.close();
});

/** A store that counts as etcd does: all keys of the range. */
function counting(store: Store, calls: { after: string | undefined; upTo: string | undefined; valued: boolean }[]): Store {
  return {
    ...store,
    async list(range, page = {}) {
      calls.push({ after: range.after, upTo: range.upTo, valued: page.valued ?? true });
      return await store.list(range, { ...page, counted: true });
    },
  };
}

test("pagesOf() of a large kind reads its keys first, and then ranges between them", async () => {
  const count = fillCountedMax + 4_321;
  const { store, keys, revision } = await filled(count, 10);
  const calls: Parameters<typeof counting>[1] = [];
  const sizes: number[] = [], found: string[] = [];
  for await (const page of pagesOf(counting(store, calls), "/a/", revision, signal)) {
    sizes.push(page.length);
    for (const { key } of page) found.push(key);
  }
  assert.deepEqual(found, keys);
  assert.deepEqual(sizes, [16, ...Array.from({ length: 12 }, () => 2_000), count - 16 - 24_000]);
  assert.equal(calls.filter(({ valued }) => !valued).length, 1);
  // Only the first page and the last are without an end.
  assert.equal(calls.filter(({ valued, upTo }) => valued && upTo === undefined).length, 2);
  await store.close();
});

test("pagesOf() of a large kind at the newest revision of each page does not rely on keys that it has read before", async () => {
  const { store, keys } = await filled(fillCountedMax + 100, 10);
  const calls: Parameters<typeof counting>[1] = [];
  const found: string[] = [];
  for await (const page of pagesOf(counting(store, calls), "/a/", undefined, signal)) for (const { key } of page) found.push(key);
  assert.deepEqual(found, keys);
  assert.ok(calls.every(({ valued, upTo }) => valued && upTo === undefined));
  await store.close();
});

test("pagesOf() reads the rest of a large kind as a stream if the store has one, in pages of bounded size", async () => {
  const { store, keys, revision } = await filled(4_100, 10), streamed: unknown[] = [];
  let lists = 0;
  const large: Store = {
    ...store,
    async list(...args) {
      lists++;
      return { ...await store.list(...args), count: fillCountedMax + 1 };
    },
    async stream(range, at) {
      streamed.push([range, at]);
      const { entries } = await store.list(range, { at });
      return (async function* () {
        yield entries.slice(0, 1);
        yield entries.slice(1);
      })();
    },
  };
  const pages: string[][] = [];
  for await (const page of pagesOf(large, "/a/", revision, signal)) pages.push(page.map(({ key }) => key));
  assert.deepEqual(pages.map(({ length }) => length), [16, 1, 2_000, 2_000, 83]);
  assert.deepEqual([pages.flat(), lists, streamed], [keys, 1, [[{ prefix: "/a/", after: keys[15] }, revision]]]);
  await store.close();
});

test("pagesOf() asks a store without streams once, and reads its pages", async () => {
  const { store, keys, revision } = await filled(2_100, 10);
  let asked = 0;
  const large: Store = {
    ...store,
    list: async (...args) => ({ ...await store.list(...args), ...(args[0].after === undefined ? { count: fillCountedMax + 1 } : {}) }),
    stream: () => Promise.resolve(void asked++),
  };
  const seen: string[] = [];
  for await (const page of pagesOf(large, "/a/", revision, signal)) seen.push(...page.map(({ key }) => key));
  assert.deepEqual([seen, asked], [keys, 1]);
  await store.close();
});
