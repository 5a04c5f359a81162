/** The file of kept results. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import process from "node:process";
import type { Result } from "./measure.ts";
import type { MemoryResult } from "./memory.ts";
import type { PeerResult } from "./peer-rows.ts";
import type { WatchResult } from "./watch-points.ts";

export interface Kept {
  readonly machine: { readonly cores: number; readonly platform: string };
  readonly results: readonly Result[];
  /** Comparisons with a kube-apiserver, one for each runtime; not in results of earlier releases. */
  readonly peers?: readonly PeerResult[];
  /** Memory against objects, one for each store and runtime; not in results of earlier releases. */
  readonly memory?: readonly MemoryResult[];
  /** Latency against watches, one for each store and runtime; not in results of earlier releases. */
  readonly watches?: readonly WatchResult[];
}

/** Replaces the results of the same stores and runtime. */
export async function keepResults(file: string, results: readonly Result[]): Promise<void> {
  const isNew = ({ store, runtime }: Result) => results.some((each) => each.store === store && each.runtime === runtime);
  await keep(file, (kept) => ({ ...kept, results: [...kept.results.filter((each) => !isNew(each)), ...results] }));
}

/** Replaces the comparison of the same runtime. */
export async function keepPeer(file: string, result: PeerResult): Promise<void> {
  await keep(file, (kept) => ({ ...kept, peers: [...(kept.peers ?? []).filter(({ runtime }) => runtime !== result.runtime), result] }));
}

/** Replaces the memory with the same store and runtime. */
export async function keepMemory(file: string, result: MemoryResult): Promise<void> {
  const same = ({ store, runtime }: MemoryResult) => store === result.store && runtime === result.runtime;
  await keep(file, (kept) => ({ ...kept, memory: [...(kept.memory ?? []).filter((each) => !same(each)), result] }));
}

/** Replaces the watches with the same store and runtime. */
export async function keepWatches(file: string, result: WatchResult): Promise<void> {
  const same = ({ store, runtime }: WatchResult) => store === result.store && runtime === result.runtime;
  await keep(file, (kept) => ({ ...kept, watches: [...(kept.watches ?? []).filter((each) => !same(each)), result] }));
}

async function keep(file: string, change: (kept: Kept) => Kept): Promise<void> {
  const machine = { cores: availableParallelism(), platform: `${process.platform} ${process.arch}` };
  const text = await readFile(file, "utf8").catch(() => '{"results":[]}');
  const kept = { ...JSON.parse(text) as Kept, machine }; // Written here.
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(change(kept), fourDigits, 2)}\n`);
}

/** Rounds to four significant digits. */
function fourDigits(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
