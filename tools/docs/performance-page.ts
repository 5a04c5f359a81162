/** The tables and pictures of docs/performance.md and docs/measurements, from the results of the newest measured release. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Kept } from "../bench/kept.ts";
import type { Goal, Measured } from "../bench/measured.ts";
import { latenciesOf, type PeerResult, type PeerRow } from "../bench/peer-rows.ts";
import { short } from "../bench/report.ts";
import { table } from "./markdown-table.ts";
import { within } from "./marks.ts";
import { runtimeNames, sortedPeers } from "./performance-pictures.ts";
import { moreOf, readmeComparison, summaryOf, watchesOf } from "./performance-summary.ts";

const folder = new URL("../bench/results/", import.meta.url);

/** The newest results; undefined if there are none. */
export function newestResults(): { readonly release: string; readonly kept: Kept } | undefined {
  if (!existsSync(folder)) return undefined;
  const order = new Intl.Collator("en", { numeric: true });
  const file = readdirSync(folder).filter((name) => name.endsWith(".json")).toSorted(order.compare).at(-1);
  if (file === undefined) return undefined;
  const kept = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Kept; // Written by tools/bench/main.ts.
  return { release: file.slice(0, -".json".length), kept };
}

/** Sections by the name in their marks. */
type Sections = Readonly<Record<string, string>>;

/** Pages with measured sections, by their path in docs. */
export const measuredPages: Readonly<Record<string, (release: string, kept: Kept) => Sections>> = Object.freeze({
  "performance.md": summaryOf,
  "measurements/figures.md": (release, kept) => ({ ...moreOf(kept), figures: tables(release, kept) }),
  "measurements/watches.md": watchesOf,
});

/** The text of a page with new tables and pictures. `path`: a key of `measuredPages`. */
export function measuredPage(path: string, text: string, release: string, kept: Kept): string {
  const sections = measuredPages[path]?.(release, kept) ?? {};
  return Object.entries(sections).reduce((all, [name, section]) => withSection(all, name, `\n${section}\n`), text);
}

/** The README with the picture of the comparison, if there is one. */
export function readmeWithComparison(readme: string, kept: Kept): string {
  return withSection(readme, "comparison", readmeComparison(kept));
}

function withSection(page: string, name: string, section: string): string {
  return within(page, `<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`, section);
}

function tables(release: string, { machine: { cores }, results, peers = [] }: Kept): string {
  const own = results.map((result) => {
    const { store, runtime, firstReadyMs, goals, measured } = result;
    const head = `Version ${release} with ${store} on ${runtimeNames[runtime]}, ${cores} cores:`;
    const start = `Ready after ${(firstReadyMs / 1000).toFixed(2)} s in a new folder; in an old one ${goals.map(goalText).join("; ")}.`;
    return [head, table(measuredTable(measured)), start].join("\n\n");
  });
  return [...own, ...sortedPeers(peers).map((peer) => peerTable(release, cores, peer))].join("\n\n");
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
  const name = runtimeNames[runtime];
  const head = `Version ${release} on ${name} and a kube-apiserver, both on etcd, ${cores} cores, medians of alternating rounds:`;
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
