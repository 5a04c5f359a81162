import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { storeConformance } from "../../test/store/store-conformance.ts";
import { all, bytes, eventsUntil, put, refused, remove, text } from "../../test/store/helpers.ts";
import { type Contents, MemoryEngine } from "./memory-engine.ts";

const open = (memory: MemoryEngine) => openSqlite(":memory:", { memory });

storeConformance("memory", () => open(new MemoryEngine()));
storeConformance("a copy of a memory with history", async () => {
  const original = new MemoryEngine(), store = await open(original);
  for (let round = 0; round < 700; round++) await remove(store, "gone", await put(store, "gone", String(round)));
  await store.compact((await store.get("gone")).revision);
  return await open(new MemoryEngine(original.contents));
});

async function filled(): Promise<{ readonly engine: MemoryEngine; readonly contents: Contents; readonly revision: number }> {
  const engine = new MemoryEngine(), store = await open(engine);
  for (let key = 0; key < 2_000; key++) await put(store, `/k/${String(key).padStart(5, "0")}`, "1");
  return { engine, contents: engine.contents, revision: (await store.get("")).revision };
}

test("copies of a MemoryEngine begin with the same history, and never see each other's writes", async () => {
  const { engine, contents, revision } = await filled();
  const original = await open(engine), copies = await Promise.all([1, 2].map(() => open(new MemoryEngine(contents))));
  const key = "/k/00700", at = (await original.get(key)).entry!.revision;
  await put(original, key, "original", at);
  await put(copies[0]!, key, "copy", at);
  await remove(copies[0]!, "/k/00001", (await original.get("/k/00001")).entry!.revision);
  assert.deepEqual(await Promise.all([original, ...copies].map(async (store) => text((await store.get(key)).entry?.value))), [
    "original",
    "copy",
    "1",
  ]);
  assert.deepEqual(await Promise.all([original, ...copies].map(async (store) => (await store.list(all)).count)), [2_000, 1_999, 2_000]);
  const events = await eventsUntil(copies[0]!, all, revision - 1, revision + 2);
  assert.deepEqual(events.map(({ key, revision: own, value }) => [key, own - revision, text(value)]), [
    ["/k/01999", 0, "1"],
    [key, 1, "copy"],
    ["/k/00001", 2, undefined],
  ]);
  for (const store of [original, ...copies]) await store.close();
});

test("a compaction of a MemoryEngine concerns no copy", async () => {
  const { engine, contents, revision } = await filled();
  const original = await open(engine), copy = await open(new MemoryEngine(contents));
  await remove(original, "/k/00000", (await original.get("/k/00000")).entry!.revision);
  await original.compact(revision + 1);
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal((await original.get("/k/00000")).entry, undefined);
  await refused("compacted", () => original.list(all, { at: revision }), { oldest: revision + 1 });
  assert.equal((await copy.list(all, { at: revision - 100 })).count, 1_900);
  await Promise.all([original.close(), copy.close()]);
});

test("a key of a copied MemoryEngine expires at its time", async () => {
  const engine = new MemoryEngine(), run = (now: number, of: MemoryEngine) => of.run([{ op: "expire", now }]);
  const change = { key: "/a", expect: "absent", value: bytes("1") } as const;
  assert.equal(engine.run([{ op: "commit", change, expires: 500 }]).expiresAt, 500);
  const copy = new MemoryEngine(engine.contents);
  assert.equal(run(499, copy).expiresAt, 500);
  assert.equal(run(500, copy).expiresAt, undefined);
  assert.equal(copy.run([{ op: "get", key: "/a" }]).revision, 3);
  assert.equal(run(499, engine).revision, 2);
});
