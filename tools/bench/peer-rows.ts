/** Results of a comparison with a kube-apiserver, and how they are printed. */
import type { Runtime } from "./children.ts";
import type { Rate } from "./measured.ts";
import type { RatesOfRounds } from "./peer-rounds.ts";
import { median } from "./percentile.ts";
import { short } from "./report.ts";
import { wantedRatios } from "./targets.ts";

/** One start of a server, or another single value. */
export interface Side {
  readonly value: number;
  readonly cpuMs?: number;
}

export interface PeerRow {
  readonly name: string;
  /** What is compared: "CPU ms" of a request or an event, "CPU s" of a whole load, "ms", "s" or "MiB". */
  readonly what: "CPU ms" | "CPU s" | "ms" | "s" | "MiB";
  readonly ours: number;
  readonly theirs: number;
  /** Theirs as a multiple of ours: the median of the rounds, and the lowest and highest of them. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  /** At least this ratio is wanted; undefined if it is only reported. */
  readonly wanted?: number;
  readonly met?: boolean;
  /** Medians of the rounds. */
  readonly rates?: { readonly ours: Rate; readonly theirs: Rate };
  /** Our first requests after a start. */
  readonly cold?: Rate;
  /** For a start: CPU time until ready. */
  readonly startCpuMs?: { readonly ours: number; readonly theirs: number };
  readonly failed: number;
}

export interface PeerResult {
  readonly runtime: Runtime;
  readonly http2: string;
  readonly seconds: number;
  readonly rows: readonly PeerRow[];
}

export function rowOf(name: string, what: "ms" | "MiB", ours: readonly Side[], theirs: readonly Side[]): PeerRow {
  const values = (sides: readonly Side[]) => sides.map(({ value }) => value);
  const cpu = (sides: readonly Side[]) => median(sides.map(({ cpuMs = NaN }) => cpuMs));
  const startCpuMs = { ours: cpu(ours), theirs: cpu(theirs) };
  return { ...compared(name, what, values(ours), values(theirs)), ...(what === "ms" ? { startCpuMs } : {}), failed: 0 };
}

/** A row of one run of this server and of several of the other one, each of which is compared with it. */
export function rowOfRuns(name: string, what: PeerRow["what"], ours: number, theirs: readonly number[]): PeerRow {
  return { ...compared(name, what, theirs.map(() => ours), theirs), failed: 0 };
}

/** A row of the rounds of a load, or of a watch. */
export function rowOfRates(name: string, { ours, theirs, failed }: RatesOfRounds): PeerRow {
  const cpu = (rates: readonly Rate[]) => rates.map(({ cpuMs }) => cpuMs);
  const rates = { ours: medianRate(ours), theirs: medianRate(theirs) };
  const row = { ...compared(name, "CPU ms", cpu(ours), cpu(theirs)), rates, failed }, met = isReached(row);
  return met === undefined ? row : { ...row, met };
}

/** Whether the target of today is met; undefined without one. A watch must also reach its watchers no later (p50). */
export function isReached({ name, ratio, rates }: Pick<PeerRow, "name" | "ratio" | "rates">): boolean | undefined {
  const wanted = wantedRatios[name], isLate = name.includes("watch") && rates !== undefined && rates.ours.p50 > rates.theirs.p50;
  return wanted === undefined ? undefined : ratio >= wanted && !isLate;
}

function compared(name: string, what: PeerRow["what"], ours: readonly number[], theirs: readonly number[]) {
  const ratios = ours.map((each, round) => theirs[round]! / each), ratio = median(ratios), wanted = wantedRatios[name];
  return {
    name,
    what,
    ours: median(ours),
    theirs: median(theirs),
    ratio,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    ...(wanted === undefined ? {} : { wanted, met: ratio >= wanted }),
  };
}

function medianRate(rates: readonly Rate[]): Rate {
  const of = (value: (rate: Rate) => number | undefined) => {
    const given = rates.map(value).filter((each) => each !== undefined);
    return given.length === 0 ? undefined : median(given);
  };
  const { requests, failed, perSecond, p50, p99, cpuMs } = rates[0]!;
  const optional = Object.fromEntries(
    (["p999", "bytes", "allocatedBytes"] as const).map((key) => [key, of((rate) => rate[key])]).filter(([, value]) => value !== undefined),
  );
  return {
    requests: of((rate) => rate.requests) ?? requests,
    failed: rates.reduce((sum, rate) => sum + rate.failed, failed * 0),
    perSecond: of((rate) => rate.perSecond) ?? perSecond,
    p50: of((rate) => rate.p50) ?? p50,
    p99: of((rate) => rate.p99) ?? p99,
    cpuMs: of((rate) => rate.cpuMs) ?? cpuMs,
    ...optional,
  };
}

/** The longest name of a row. */
export const nameWidth = 27;

/** `get   CPU ms 0.060 / 0.350: 5.8 times (5.1 to 6.0), wanted 3: met; p50 ...`. */
export function peerLine({ name, what, ours, theirs, ratio, lowest, highest, wanted, met, rates, startCpuMs, failed }: PeerRow): string {
  const goal = wanted === undefined ? "no target" : `wanted ${short(wanted)}: ${met ? "met" : "MISSED"}`;
  const latencies = rates === undefined ? "" : `; p50, p99, p99.9 ms ${latenciesOf(rates.ours)} / ${latenciesOf(rates.theirs)}`;
  const allocated = rates?.ours.allocatedBytes;
  const more = (allocated === undefined ? "" : `; allocated ${short(allocated)}`) +
    (startCpuMs === undefined ? "" : `; CPU ms ${short(startCpuMs.ours)} / ${short(startCpuMs.theirs)}`);
  return `${name.padEnd(nameWidth)} ${what} ${short(ours)} / ${short(theirs)}: ${short(ratio)} times (${short(lowest)} to ${
    short(highest)
  }), ${goal}` +
    latencies + more + (failed === 0 ? "" : `  !! ${failed} failed or missing`);
}

export function latenciesOf({ p50, p99, p999 = NaN }: Rate): string {
  return [p50, p99, p999].map(short).join(", ");
}
