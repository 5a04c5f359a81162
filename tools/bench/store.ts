/**
 * Commits per second and CPU per commit, with 64 writers and values of 1 kB, beside one open watch:
 *
 *   deno run -A tools/bench/store.ts [memory | sqlite | etcd] [commits]
 *
 * CPU is that of this process with its threads, without etcd.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Revision, Store } from "../../kernel/store/store.ts";
import { startEtcd } from "../../test/etcd.ts";

const writers = 64;

async function measure(name: string, store: Store, commits: number): Promise<void> {
  const value = new Uint8Array(1000).fill(65);
  const controller = new AbortController();
  const { revision } = await store.get("none");
  let seen = 0;
  const watching = (async () => {
    for await (const batch of store.watch({ prefix: "" }, revision, controller.signal)) seen += batch.events.length;
  })();

  async function round(count: number, tag: string): Promise<number[]> {
    const latencies: number[] = [];
    await Promise.all(Array.from({ length: writers }, async (_, writer) => {
      let last: Revision | "absent" = "absent";
      for (let written = 0; written < count / writers; written++) {
        if (written % 10 === 0) last = "absent";
        const began = performance.now();
        const commit = await store.commit({ key: `${tag}/${writer}/${Math.floor(written / 10)}`, expect: last, value });
        latencies.push(performance.now() - began);
        if (!commit.done) throw new Error("A bench writer lost its own key");
        last = commit.revision;
      }
    }));
    return latencies.sort((a, b) => a - b);
  }

  await round(commits / 4, "warm");
  const cpu = process.cpuUsage();
  const began = performance.now();
  const latencies = await round(commits, "bench");
  const elapsed = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const at = (share: number): string => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2);
  console.log(
    `${name}: ${Math.round(latencies.length / elapsed)} commits/s, ${((user + system) / latencies.length).toFixed(0)} us CPU each, ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${seen} events seen`,
  );
  controller.abort();
  await watching;
  await store.close();
}

async function main(what: string, commits: number): Promise<void> {
  if (what === "memory") return measure(what, await openSqlite(":memory:"), commits);
  if (what === "etcd") {
    const etcd = await startEtcd();
    try {
      return await measure(what, await openEtcd({ endpoints: [etcd.endpoint], prefix: "/bench/" }), commits);
    } finally {
      await etcd.stop();
    }
  }
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  try {
    await measure(what, await openSqlite(join(folder, "store.db")), commits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main(process.argv[2] ?? "sqlite", Number(process.argv[3] ?? 20_000));
