/** The tables of docs/performance.md, from the results of the newest measured release. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Kept } from "../bench/kept.ts";
import type { Goal, Measured } from "../bench/measured.ts";
import { latenciesOf, type PeerResult, type PeerRow } from "../bench/peer-rows.ts";
import { short } from "../bench/report.ts";

const folder = new URL("../bench/results/", import.meta.url);
const open = "<!-- figures: written by npm run docs -->", close = "<!-- end of figures -->";

/** The newest results; undefined if there are none. */
export function newestResults(): { readonly release: string; readonly kept: Kept } | undefined {
  if (!existsSync(folder)) return undefined;
  const order = new Intl.Collator("en", { numeric: true });
  const file = readdirSync(folder).filter((name) => name.endsWith(".json")).toSorted(order.compare).at(-1);
  if (file === undefined) return undefined;
  const kept = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Kept; // Written by test/bench/main.ts.
  return { release: file.slice(0, -".json".length), kept };
}

/** The page with new tables. */
export function performancePage(page: string, release: string, kept: Kept): string {
  const from = page.indexOf(open), to = page.indexOf(close);
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for its figures: ${open} ... ${close}`);
  return `${page.slice(0, from + open.length)}\n\n${tables(release, kept)}\n\n${page.slice(to)}`;
}

function tables(release: string, { machine: { cores }, results, peers = [] }: Kept): string {
  const own = results.map((result) => {
    const { store, runtime, firstReadyMs, goals, measured } = result;
    const head = `Version ${release} with ${store} on ${nameOf(runtime)}, ${cores} cores:`;
    const start = `Ready after ${(firstReadyMs / 1000).toFixed(2)} s in a new folder; in an old one ${goals.map(goalText).join("; ")}.`;
    return [head, table(measuredTable(measured)), start].join("\n\n");
  });
  return [...own, ...peers.map((peer) => peerTable(release, cores, peer))].join("\n\n");
}

function nameOf(runtime: "deno" | "node"): string {
  return runtime === "deno" ? "Deno" : "Node";
}

interface Column {
  readonly head: string;
  readonly cell: (measured: Measured) => string;
}

const columns: readonly Column[] = [
  { head: "", cell: ({ name }) => name },
  { head: "CPU ms", cell: ({ cpuMs }) => short(cpuMs) },
  { head: "x floor", cell: ({ cpuMs, floor }) => floor === undefined ? "" : short(cpuMs / floor.cpuMs) },
  { head: "x handler", cell: ({ cpuMs, handler }) => handler === undefined ? "" : short(cpuMs / handler.cpuMs) },
  { head: "p50, p99 ms", cell: ({ p50, p99 }) => `${short(p50)}, ${short(p99)}` },
  { head: "p99.9 ms", cell: ({ p999 }) => given(p999) },
  { head: "first 2,000: CPU ms", cell: ({ cold }) => given(cold?.cpuMs) },
  { head: "bytes allocated", cell: ({ allocatedBytes }) => given(allocatedBytes) },
  { head: "MiB at most", cell: ({ peakMiB }) => peakMiB.toFixed(0) },
  { head: "wanted", cell: ({ goals }) => goals.length === 0 ? "no target" : goals.map(goalText).join("; ") },
];
/** Columns that results of earlier releases do not have. */
const optional: ReadonlySet<string> = new Set(["p99.9 ms", "first 2,000: CPU ms", "bytes allocated"]);

function measuredTable(measured: readonly Measured[]): readonly (readonly string[])[] {
  const shown = columns.filter(({ head, cell }) => !optional.has(head) || measured.some((each) => cell(each) !== ""));
  return [shown.map(({ head }) => head), ...measured.map((each) => shown.map(({ cell }) => cell(each)))];
}

function given(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? "" : short(value);
}

function peerTable(release: string, cores: number, { runtime, rows }: PeerResult): string {
  const head = `Version ${release} on ${
    nameOf(runtime)
  } and a kube-apiserver, both on etcd, ${cores} cores, medians of alternating rounds:`;
  const heads = [
    "",
    "this server",
    "kube-apiserver",
    "ratio (lowest, highest)",
    "p50, p99, p99.9 ms",
    "its",
    "first 2,000: CPU ms",
    "wanted",
  ];
  return [head, table([heads, ...rows.map(peerCells)])].join("\n\n");
}

function peerCells({ name, what, ours, theirs, ratio, lowest, highest, rates, cold, wanted, met }: PeerRow): readonly string[] {
  return [
    name,
    `${short(ours)} ${what}`,
    `${short(theirs)} ${what}`,
    lowest === highest ? short(ratio) : `${short(ratio)} (${short(lowest)}, ${short(highest)})`,
    rates === undefined ? "" : latenciesOf(rates.ours),
    rates === undefined ? "" : latenciesOf(rates.theirs),
    given(cold?.cpuMs),
    wanted === undefined ? "no target" : `at least ${short(wanted)}: ${met ? "met" : "missed"}`,
  ];
}

/** `CPU ms at most 0.117: met`. */
function goalText({ what, value, atMost, met }: Goal): string {
  return `${what} at most ${short(atMost)}: ${met ? "met" : `missed, ${short(value)}`}`;
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
