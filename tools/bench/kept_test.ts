import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keepMemory, keepPeer, keepResult, keepWatches, type Kept } from "./kept.ts";
import type { Result } from "./measure.ts";
import type { Measured } from "./measured.ts";

const result = (store: Result["store"], runtime: Result["runtime"], idleMiB: number, measured: Result["measured"] = []): Result => ({
  ...{ store, runtime, idleMiB, firstReadyMs: 1, readyMs: 1, seconds: 1, goals: [], measured },
});
const row = (name: string, cpuMs: number): Measured => ({
  ...{ name, cpuMs, requests: 1, failed: 0, perSecond: 1, p50: 1, p99: 1, peakMiB: 1, floor: undefined, goals: [] },
});

async function withFile(run: (file: string, kept: () => Promise<Kept>, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-kept-")), file = join(folder, "new", "1.0.0.json");
  try {
    await run(file, async () => JSON.parse(await readFile(file, "utf8")) as Kept, join(folder, "new"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a run replaces the figures of its store and runtime, and leaves the others", () =>
  withFile(async (file, read) => {
    for (const each of [result("sqlite", "deno", 1), result("etcd", "deno", 2), result("etcd", "node", 3)]) keepResult(file, each);
    keepResult(file, result("sqlite", "deno", 4.00004));
    for (const bytes of [1, 2]) {
      keepMemory(file, { store: "etcd", runtime: "node", bytes, points: [] });
      keepWatches(file, { store: "etcd", runtime: "node", points: [] });
      keepPeer(file, { runtime: "node", http2: "Go", seconds: bytes, rows: [] });
    }
    const kept = await read();
    assert.deepEqual(kept.results.map(({ store, runtime, idleMiB }) => [store, runtime, idleMiB]), [
      ["sqlite", "deno", 4],
      ["etcd", "deno", 2],
      ["etcd", "node", 3],
    ]);
    assert.deepEqual(kept.memory?.map(({ bytes }) => bytes), [2]);
    assert.deepEqual([kept.watches?.length, kept.peers?.map(({ seconds }) => seconds)], [1, [2]]);
  }));

test("a run replaces the rows that it has measured so far, and leaves the other scenarios of its store and runtime", () =>
  withFile(async (file, read, folder) => {
    keepResult(file, result("etcd", "deno", 1, [row("get", 1), row("update", 2)]));
    keepResult(file, result("etcd", "node", 1, [row("update", 3)]));
    keepResult(file, result("etcd", "deno", 1, [row("update", 4), row("create", 5)]));
    const { results } = await read();
    assert.deepEqual(results.map(({ measured }) => measured.map(({ name, cpuMs }) => [name, cpuMs])), [
      [["get", 1], ["update", 4], ["create", 5]],
      [["update", 3]],
    ]);
    assert.deepEqual(await readdir(folder), ["1.0.0.json"]);
  }));

test("a comparison replaces the rows that it has measured so far", () =>
  withFile(async (file, read) => {
    const peer = (
      name: string,
      ours: number,
    ) => ({ name, what: "ms", ours, theirs: 1, ratio: 1, lowest: 1, highest: 1, failed: 0 } as const);
    keepPeer(file, { runtime: "node", http2: "Go", seconds: 1, rows: [peer("get", 1), peer("create", 2)] });
    keepPeer(file, { runtime: "node", http2: "Go", seconds: 1, rows: [peer("create", 3)] });
    assert.deepEqual((await read()).peers?.map(({ rows }) => rows.map(({ name, ours }) => [name, ours])), [[["get", 1], ["create", 3]]]);
  }));
