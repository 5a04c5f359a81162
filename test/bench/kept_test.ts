import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keepMemory, keepPeer, keepResults, keepWatches, type Kept } from "./kept.ts";
import type { Result } from "./measure.ts";

test("a run replaces the figures of its store and runtime, and leaves the others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-kept-")), file = join(folder, "new", "1.0.0.json");
  try {
    const result = (store: Result["store"], runtime: Result["runtime"], idleMiB: number): Result => ({
      ...{ store, runtime, idleMiB, firstReadyMs: 1, readyMs: 1, seconds: 1, goals: [], measured: [] },
    });
    await keepResults(file, [result("sqlite", "deno", 1), result("etcd", "deno", 2)]);
    await keepResults(file, [result("etcd", "node", 3)]);
    await keepResults(file, [result("sqlite", "deno", 4.00004)]);
    for (const bytes of [1, 2]) {
      await keepMemory(file, { store: "etcd", runtime: "node", bytes, points: [] });
      await keepWatches(file, { store: "etcd", runtime: "node", points: [] });
      await keepPeer(file, { runtime: "node", http2: "Go", seconds: bytes, rows: [] });
    }
    const kept = JSON.parse(await readFile(file, "utf8")) as Kept;
    assert.deepEqual(kept.results.map(({ store, runtime, idleMiB }) => [store, runtime, idleMiB]), [
      ["etcd", "deno", 2],
      ["etcd", "node", 3],
      ["sqlite", "deno", 4],
    ]);
    assert.deepEqual(kept.memory?.map(({ bytes }) => bytes), [2]);
    assert.deepEqual([kept.watches?.length, kept.peers?.map(({ seconds }) => seconds)], [1, [2]]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
