/** The short sections of docs/performance.md, of docs/measurements and of the README, from kept results. */
import type { Kept } from "../bench/kept.ts";
import { short } from "../bench/report.ts";
import { table } from "./markdown-table.ts";
import { measuredTable } from "./measured-table.ts";
import { performancePictures, type Picture, runtimeNames } from "./performance-pictures.ts";

/** The sections of docs/performance.md by the name in their marks: pictures, and one table. */
export function summaryOf(release: string, kept: Kept): Readonly<Record<"comparison" | "latency" | "memory", string>> {
  const pictures = performancePictures(kept);
  return {
    "comparison": pictures.comparison === undefined
      ? `The results of release ${release} have no comparison yet. [A first one](measurements/requests.md#the-first-comparison-with-a-kube-apiserver) was made on a busy machine.`
      : [shown(pictures.comparison, ""), measuredTable(kept)].join("\n\n"),
    "latency": shown(pictures.latency, ""),
    "memory": pictures.memory === undefined
      ? `The results of release ${release} have no memory against objects yet. [A start with 300,000](measurements/requests.md#starts-with-many-objects) was measured on a busy machine.`
      : shown(pictures.memory, ""),
  };
}

/** Sections of docs/measurements/figures.md. */
export function moreOf(kept: Kept): Readonly<Record<"requests of a core" | "memory of objects", string>> {
  return { "requests of a core": requestsTable(kept), "memory of objects": memoryTable(kept) };
}

/** The section of docs/measurements/watches.md. */
export function watchesOf(release: string, kept: Kept): Readonly<Record<"watches", string>> {
  const { watches } = performancePictures(kept);
  return {
    watches: watches === undefined
      ? `The results of release ${release} have no latencies against the number of watches yet.`
      : shown(watches, "../"),
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
