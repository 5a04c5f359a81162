/** The short sections of docs/performance.md and of the README, from kept results: what a reader looks for first. */
import type { Kept } from "../bench/kept.ts";
import type { PeerResult, PeerRow } from "../bench/peer-rows.ts";
import { short } from "../bench/report.ts";
import { table } from "./markdown-table.ts";
import { performancePictures, type Picture, runtimeNames, sortedPeers } from "./performance-pictures.ts";

/** Sections by the name in their marks. */
export function summaryOf(
  release: string,
  kept: Kept,
): Readonly<Record<"comparison" | "latency" | "watches" | "memory" | "requests of a core", string>> {
  const pictures = performancePictures(kept);
  return {
    "comparison": pictures.comparison === undefined
      ? `The results of release ${release} have no comparison yet. [A first one](measurements/requests.md#the-first-comparison-with-a-kube-apiserver) was made on a busy machine.`
      : [shown(pictures.comparison, ""), reached(kept), comparisonTable(kept)].join("\n\n"),
    "latency": shown(pictures.latency, ""),
    "watches": pictures.watches === undefined
      ? `The results of release ${release} have no latencies against the number of watches yet. [A first measurement](measurements/watches.md#watches-latency-against-cpu) was made on a busy machine.`
      : shown(pictures.watches, ""),
    "memory": pictures.memory === undefined
      ? `The results of release ${release} have no memory against objects yet. [A start with 300,000](measurements/requests.md#starts-with-many-objects) was measured on a busy machine.`
      : [shown(pictures.memory, ""), memoryTable(kept)].join("\n\n"),
    "requests of a core": requestsTable(kept),
  };
}

/** The picture of the README; empty without a comparison. */
export function readmeComparison(kept: Kept): string {
  const { comparison } = performancePictures(kept);
  return comparison === undefined ? "" : `${shown(comparison, "docs/")}\n`;
}

function shown({ name, alt }: Picture, folder: string): string {
  return `![${alt}](${folder}pictures/${name}.svg)`;
}

function reached({ peers = [] }: Kept): string {
  const counts = sortedPeers(peers).map(({ runtime, rows }) => {
    const wanted = rows.filter((row) => row.wanted !== undefined);
    return `${wanted.filter(({ met }) => met).length} of ${wanted.length} on ${runtimeNames[runtime]}`;
  });
  return `Targets that are met: ${counts.join(", ")}. A watch must also reach its watchers no later than the kube-apiserver's (p50).`;
}

function comparisonTable({ peers: unsorted = [] }: Kept): string {
  const peers = sortedPeers(unsorted);
  const names = rowNames(peers);
  const heads = ["", ...peers.map(({ runtime }) => `Thole on ${runtimeNames[runtime]}, kube-apiserver: ratio`), "wanted"];
  return table([
    heads,
    ...names.map((name) => {
      const found = peers.map(({ rows }) => rows.find((row) => row.name === name));
      const wanted = found.find((row) => row !== undefined)?.wanted;
      return [name, ...found.map((row) => row === undefined ? "" : comparedCell(row)), wanted === undefined ? "" : short(wanted)];
    }),
  ]);
}

/** The names of all rows: one that only some comparisons have follows the row before it there. */
function rowNames(peers: readonly PeerResult[]): readonly string[] {
  const names: string[] = [];
  for (const { rows } of peers) {
    let next = 0;
    for (const { name } of rows) {
      if (!names.includes(name)) names.splice(next, 0, name);
      next = names.indexOf(name) + 1;
    }
  }
  return names;
}

function comparedCell({ ours, theirs, what, ratio, met }: PeerRow): string {
  return `${short(ours)}, ${short(theirs)} ${what}: ${short(ratio)}${met === undefined ? "" : met ? ", met" : ", missed"}`;
}

function memoryTable({ memory = [] }: Kept): string {
  const counts = [...new Set(memory.flatMap(({ points }) => points.map(({ objects }) => objects)))].toSorted((a, b) => a - b);
  return table([
    ["objects", ...memory.map(({ store, runtime }) => `${runtimeNames[runtime]}, ${store}: MiB`)],
    ...counts.map((count) => [
      count.toLocaleString("en"),
      ...memory.map(({ points }) => {
        const point = points.find(({ objects }) => objects === count);
        return point === undefined ? "" : short(point.mebibytes);
      }),
    ]),
    [
      "KiB for each object",
      ...memory.map(({ points }) => {
        const first = points[0], last = points.at(-1);
        return first === undefined || last === undefined || last.objects === first.objects
          ? ""
          : short((last.mebibytes - first.mebibytes) * 1024 / (last.objects - first.objects));
      }),
    ],
  ]);
}

/** Scenarios by which a server is sized. */
const sizing: readonly (readonly [scenario: string, shown: string])[] = [
  ["get", "GET of an object"],
  ["page of 500", "page of 500 objects"],
  ["page of 500, gzip", "the same in gzip"],
  ["list of 10,000", "list of 10,000 objects"],
  ["list of 10,000, gzip", "the same in gzip"],
  ["create", "create"],
  ["update", "update"],
  ["apply, 1 kB", "apply"],
  ["watch, 100 watchers", "event to one of 100 watchers"],
  ["watch, 1,000 watchers", "event to one of 1,000 watchers"],
];

function requestsTable({ results }: Kept): string {
  const heads = results.map(({ store, runtime }) => `${runtimeNames[runtime]}, ${store}`);
  const rows = sizing.flatMap(([scenario, name]) => {
    const found = results.map(({ measured }) => measured.find((each) => each.name === scenario));
    if (found.every((each) => each === undefined)) return [];
    const cells = found.map((each) =>
      each === undefined ? "" : `${short(each.cpuMs)} ms: ${Number((1000 / each.cpuMs).toPrecision(2)).toLocaleString("en")} a second`
    );
    return [[name, ...cells]];
  });
  return table([["", ...heads], ...rows]);
}
