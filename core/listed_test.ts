import assert from "node:assert/strict";
import { test } from "node:test";
import { listAll, listedTurnMs } from "./listed.ts";
import type { Api } from "./api.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import { StatusError } from "./status-error.ts";

interface Call {
  readonly where: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** An API that returns objects in pages at revision 7. Continue tokens are indexes. */
function paged(objects: readonly ApiObject[]) {
  const calls: Call[] = [];
  const list: Api["list"] = (groupVersion, resource, namespace, query = {}) => {
    calls.push({ where: [groupVersion, resource, namespace], query });
    const from = Number(query["continue"] ?? 0), to = from + Number(query["limit"]);
    const more = to < objects.length ? { continue: `${to}` } : {};
    return Promise.resolve({ metadata: { resourceVersion: "7", ...more }, items: objects.slice(from, to) });
  };
  return { list, calls };
}

function things(count: number, note = ""): readonly ApiObject[] {
  return Array.from({ length: count }, (_, index) => ({ kind: "Thing", apiVersion: "v1", metadata: { name: `${index}` }, note }));
}

async function all(objects: AsyncGenerator<ApiObject, string>): Promise<{ readonly names: string[]; readonly revision: string }> {
  const names: string[] = [];
  for (let next = await objects.next();; next = await objects.next()) {
    if (next.done === true) return { names, revision: next.value };
    names.push(next.value.metadata.name ?? "");
  }
}

const limitsOf = (calls: readonly Call[]) => calls.map(({ query }) => query["limit"]);

for (const [count, pages] of [[0, ["10"]], [10, ["10"]], [11, ["10", "100"]], [110, ["10", "100"]], [111, ["10", "100", "100"]]] as const) {
  test(`listAll() gives ${count} objects in order, and their revision at the end, from ${pages.length} pages`, async () => {
    const { list, calls } = paged(things(count));
    const { names, revision } = await all(listAll({ list }, "v1", "things", "ns"));
    assert.deepEqual(names, things(count).map(({ metadata }) => metadata.name));
    assert.equal(revision, "7");
    assert.deepEqual(limitsOf(calls), pages);
  });
}

test("listAll() requests each page with the same query and the token of the previous page", async () => {
  const { list, calls } = paged(things(111));
  await all(listAll({ list }, "example.com/v1", "things", "ns", { labelSelector: "a=b" }));
  assert.deepEqual(calls.map(({ where }) => where.join(" ")), Array(3).fill("example.com/v1 things ns"));
  assert.deepEqual(calls.map(({ query }) => query), [
    { labelSelector: "a=b", limit: "10" },
    { labelSelector: "a=b", limit: "100", continue: "10" },
    { labelSelector: "a=b", limit: "100", continue: "110" },
  ]);
});

test("listAll() keeps at most four Mi of text in memory, or one larger object", async () => {
  const mebi = 1024 * 1024;
  const long = paged(things(12, "x".repeat(mebi)));
  await all(listAll(long, "v1", "things", ""));
  assert.deepEqual(limitsOf(long.calls).slice(0, 2), ["10", "4"]);
  const longer = paged(things(12, "x".repeat(5 * mebi)));
  assert.equal((await all(listAll(longer, "v1", "things", ""))).names.length, 12);
  assert.deepEqual(limitsOf(longer.calls), ["10", "1", "1"]);
});

test("listAll() reads a page when its first item is needed, and rethrows read errors", async () => {
  const { list, calls } = paged(things(20));
  const gone = new StatusError("Expired", "too old");
  const objects = listAll(
    { list: (...wanted) => calls.length === 1 ? Promise.reject(gone) : list(...wanted) },
    "v1",
    "things",
    "",
  );
  for (let read = 0; read < 10; read++) assert.equal((await objects.next()).done, false);
  assert.equal(calls.length, 1);
  await assert.rejects(objects.next(), gone);
});

test("listAll() lets the event loop run between pages that take long to make", async () => {
  const { list } = paged(things(1_000));
  let turned = false, pages = 0;
  const slow: Api["list"] = (...args) => {
    if (pages++ === 0) setTimeout(() => turned = true, 0);
    for (const end = performance.now() + listedTurnMs; performance.now() <= end;);
    return list(...args);
  };
  await all(listAll({ list: slow }, "v1", "things", "ns"));
  assert.ok(turned);
});
