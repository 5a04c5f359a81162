/** The file of kept results. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import process from "node:process";
import type { DensityResult } from "./density.ts";
import type { Result } from "./measure.ts";
import type { MemoryResult } from "./memory.ts";
import type { PeerResult } from "./peer-rows.ts";
import type { WatchResult } from "./watch-points.ts";

export interface Kept {
  readonly machine: { readonly cores: number; readonly platform: string };
  readonly results: readonly Result[];
  /** Comparisons with a kube-apiserver, one for each runtime; not in results of earlier releases. */
  readonly peers?: readonly PeerResult[];
  /** A cluster without machines beside a kube-apiserver, one for each runtime; not in results of earlier releases. */
  readonly densities?: readonly DensityResult[];
  /** Memory against objects, one for each store and runtime; not in results of earlier releases. */
  readonly memory?: readonly MemoryResult[];
  /** Latency against watches, one for each store and runtime; not in results of earlier releases. */
  readonly watches?: readonly WatchResult[];
}

/** Replaces the rows of the same names in the result of the same store and runtime, and adds the others. What is not of a scenario is replaced. */
export function keepResult(file: string, result: Result): void {
  const same = ({ store, runtime }: Result) => store === result.store && runtime === result.runtime;
  keep(file, (kept) => ({
    ...kept,
    results: replaced(kept.results, same, (before) => ({ ...result, measured: rowsWith(before?.measured ?? [], result.measured) })),
  }));
}

/** As `keepResult`, for a comparison with a kube-apiserver. */
export function keepPeer(file: string, result: PeerResult): void {
  const same = ({ runtime }: PeerResult) => runtime === result.runtime;
  keep(file, (kept) => ({
    ...kept,
    peers: replaced(kept.peers, same, (before) => ({ ...result, rows: rowsWith(before?.rows ?? [], result.rows) })),
  }));
}

/** Replaces the cluster without machines of the same runtime. */
export function keepDensity(file: string, result: DensityResult): void {
  keep(file, (kept) => ({ ...kept, densities: replaced(kept.densities, ({ runtime }) => runtime === result.runtime, () => result) }));
}

/** Replaces the memory with the same store and runtime. */
export function keepMemory(file: string, result: MemoryResult): void {
  const same = ({ store, runtime }: MemoryResult) => store === result.store && runtime === result.runtime;
  keep(file, (kept) => ({ ...kept, memory: replaced(kept.memory, same, () => result) }));
}

/** Replaces the watches with the same store and runtime. */
export function keepWatches(file: string, result: WatchResult): void {
  const same = ({ store, runtime }: WatchResult) => store === result.store && runtime === result.runtime;
  keep(file, (kept) => ({ ...kept, watches: replaced(kept.watches, same, () => result) }));
}

/** The list with the new value in the place of the one that is the same, or at the end. */
function replaced<T>(list: readonly T[] = [], same: (each: T) => boolean, next: (before: T | undefined) => T): readonly T[] {
  const at = list.findIndex(same);
  return at < 0 ? [...list, next(undefined)] : list.with(at, next(list[at]));
}

function rowsWith<Row extends { readonly name: string }>(before: readonly Row[], rows: readonly Row[]): readonly Row[] {
  return rows.reduce((all, row) => replaced(all, ({ name }) => name === row.name, () => row), before);
}

/** Changes the file at once: a run that is stopped leaves the whole old file or the whole new one. */
function keep(file: string, change: (kept: Kept) => Kept): void {
  const machine = { cores: availableParallelism(), platform: `${process.platform} ${process.arch}` };
  const text = existsSync(file) ? readFileSync(file, "utf8") : '{"results":[]}';
  const kept = { ...JSON.parse(text) as Kept, machine }; // Written here.
  mkdirSync(dirname(file), { recursive: true });
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, `${JSON.stringify(change(kept), fourDigits, 2)}\n`);
  renameSync(whole, file);
}

/** Rounds to four significant digits. */
function fourDigits(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
