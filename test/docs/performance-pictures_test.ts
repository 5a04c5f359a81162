// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Kept } from "../../tools/bench/kept.ts";
import type { Rate } from "../../tools/bench/measured.ts";
import { type PeerRow, rowOf, rowOfRates, rowOfRuns } from "../../tools/bench/peer-rows.ts";
import { linearTicks, logarithmic, logarithmicTicks } from "../../tools/docs/chart.ts";
import { measuredPage, newestResults, readmeWithComparison } from "../../tools/docs/performance-page.ts";
import { performancePictures, pictureNames } from "../../tools/docs/performance-pictures.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const page = read("docs/performance.md"), readme = read("README.md");
const figuresOf = (kept: Kept) => measuredPage("measurements/figures.md", read("docs/measurements/figures.md"), "9.9.9", kept);

const newest = newestResults();
const skip = newest === undefined ? "no results are kept in tools/bench/results" : false;

test("the pictures of docs/performance.md and the README are those of the newest results; `npm run docs` draws them", { skip }, () => {
  assert.ok(newest);
  const pictures = performancePictures(newest.kept);
  for (const key of ["comparison", "latency", "watches", "memory"] as const) {
    const path = `docs/pictures/${pictureNames[key]}.svg`, picture = pictures[key];
    assert.equal(existsSync(new URL(path, root)) ? read(path) : undefined, picture?.svg, path);
    const text = key === "watches" ? read("docs/measurements/watches.md") : page;
    assert.equal(text.includes(`pictures/${pictureNames[key]}.svg)`), picture !== undefined, path);
  }
  assert.equal(readme, readmeWithComparison(readme, newest.kept));
});

const rate: Rate = { requests: 1, failed: 0, perSecond: 1, p50: 10, p99: 20, p999: 40, cpuMs: 0.1 };
/** A row with a kube-apiserver's CPU as a multiple of ours, in each of two rounds. */
function row(name: string, lower: number, upper: number): PeerRow {
  const theirs = [lower, upper].map((times) => ({ ...rate, cpuMs: times * rate.cpuMs }));
  return rowOfRates(name, { ours: [rate, rate], theirs, failed: 0 });
}
const results: Kept["results"] = [{
  ...{ store: "sqlite", runtime: "deno", firstReadyMs: 500, readyMs: 400, idleMiB: 96, seconds: 1, goals: [] },
  measured: [{ name: "get", ...rate, floor: undefined, peakMiB: 99, goals: [] }, {
    name: "hostile: <x>",
    ...rate,
    floor: undefined,
    peakMiB: 99,
    goals: [],
  }],
}];
/** On etcd, as a comparison. */
const onNode: Kept["results"][number] = {
  ...{ store: "etcd", runtime: "node", firstReadyMs: 500, readyMs: 400, idleMiB: 96, seconds: 1, goals: [] },
  measured: [{ name: "get", ...rate, floor: { ...rate, cpuMs: 0.2 }, peakMiB: 99, goals: [] }, {
    ...{ name: "create", ...rate, floor: { ...rate, cpuMs: 0.01 }, handler: { ...rate, cpuMs: 0.05 }, peakMiB: 99, goals: [] },
  }],
};
/** A watch that costs less, but whose events arrive later. */
const late = rowOfRates("watch, 100 watchers", { ours: [rate], theirs: [{ ...rate, cpuMs: 0.4, p50: 9 }], failed: 0 });
const alone: Kept = { machine: { cores: 2, platform: "linux x64" }, results };
const whole: Kept = {
  ...alone,
  results: [...results, onNode],
  densities: [{ runtime: "node", store: "etcd", rows: [rowOfRuns("density: memory", "MiB", 300, [600, 600])] }],
  peers: [
    { runtime: "node", http2: "Go", seconds: 1, rows: [row("get", 3, 3), row("create", 0.5, 0.9), late] },
    {
      runtime: "deno",
      http2: "Go",
      seconds: 1,
      rows: [row("get", 2, 4), rowOf("idle memory, package", "MiB", [{ value: 100 }], [{ value: 280 }])],
    },
  ],
  watches: [{
    ...{ store: "sqlite", runtime: "deno" },
    points: (["thole", "kube-apiserver"] as const).flatMap((server) =>
      [100, 1_000].map((watchers) => ({ server, protocol: "h2" as const, watchers, writesPerSecond: 20, p50: 5, p99: 9, cpuUs: 30 }))
    ),
  }],
  memory: [{
    ...{ store: "etcd", runtime: "node", bytes: 1_000 },
    points: [{ objects: 0, mebibytes: 100, readyMs: 1 }, { objects: 102_400, mebibytes: 300, readyMs: 1 }],
  }],
};

test("performancePictures() draws what the results have, with a title and a description of every value", () => {
  const { comparison, latency, watches, memory } = performancePictures(whole);
  assert.match(
    comparison!.svg,
    /<desc id="description">get: 4\.00 on Deno, 3\.00 on Node, target 3; create: 0\.900 on Node, target 5; watch, 100 watchers: 4\.00 on Node, target 3\.<\/desc>/,
  );
  assert.match(comparison!.alt, /4\.00 to 4\.00 times Thole's on Deno, and 0\.900 to 4\.00 times Thole's on Node$/);
  assert.match(
    latency.svg,
    /get: Thole on Deno 10\.0, 20\.0, 40\.0; Thole on Node 10\.0, 20\.0, 40\.0; kube-apiserver 10\.0, 20\.0, 40\.0\./,
  );
  assert.match(memory!.svg, /Node, etcd: 100 MiB with 0, 300 MiB with 102,400\./);
  const events = "100 watches at 20 writes a second 5.00, 9.00; 1000 watches at 20 writes a second 5.00, 9.00.";
  assert.ok(watches!.svg.includes(`Deno, sqlite: ${events} kube-apiserver: ${events}</desc>`), watches!.svg);
  for (const { svg } of [comparison!, latency, watches!, memory!]) {
    assert.match(svg, /^<svg [^>]*role="img" aria-labelledby="title description">\n<title id="title">/);
    assert.match(svg, /prefers-color-scheme: dark/);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  }
  assert.deepEqual(performancePictures(whole), performancePictures(structuredClone(whole)));
});

test("performancePictures() shows the latencies of the stores if there is no comparison", () => {
  const { comparison, latency, watches, memory } = performancePictures(alone);
  assert.deepEqual([comparison, watches, memory], [undefined, undefined, undefined]);
  assert.match(latency.svg, /<desc id="description">get: Deno, sqlite 10\.0, 20\.0, 40\.0\.<\/desc>/);
});

test("performancePage() and the README show a comparison once there is one", () => {
  const text = measuredPage("performance.md", page, "9.9.9", whole);
  assert.match(text, /^Targets that are met: 1 of 2 on Deno, 2 of 5 on Node\. Those that are missed are in bold\.$/m);
  assert.match(text, /^\| get \| 0\.100 \| {2}\| 4\.00 \| 0\.100 \| 0\.500 \| 3\.00 \| 3\.00 \|$/m);
  assert.match(text, /^\| create \| {2}\| {2}\| {2}\| 0\.100 \| \*\*2\.00\*\* \| \*\*0\.900\*\* \| 5\.00; bare 1\.30, 1\.60 \|$/m);
  assert.match(text, /^\| watch, 100 watchers \|.*\| \*\*4\.00\*\* \| 3\.00 \|$/m, "later than a kube-apiserver's");
  assert.match(text, /^\| density: memory \| {2}\| {2}\| {2}\| 300 MiB \| {2}\| 2\.00 \| 2\.00 \|$/m);
  assert.match(figuresOf(whole), /^\| KiB for each object \| 2\.00 \|$/m);
  assert.match(figuresOf(whole), /^\| GET of an object \| 0\.100 ms: 10,000 a second \|/m);
  assert.match(readmeWithComparison(readme, whole), /\]\(docs\/pictures\/cpu-beside-kube-apiserver\.svg\)/);
  assert.doesNotMatch(readmeWithComparison(readme, alone), /cpu-beside-kube-apiserver/);
  assert.match(measuredPage("performance.md", text, "9.9.9", alone), /^The results of release 9\.9\.9 have no comparison yet\./m);
});

test("performancePage() shows a row of one runtime only where that runtime has it", () => {
  const ready = (name: string) => rowOf(name, "ms", [{ value: 300 }], [{ value: 3_300 }]);
  const peer = (runtime: "deno" | "node", rows: readonly PeerRow[]) => ({ runtime, http2: "Go", seconds: 1, rows });
  const deno = peer("deno", [ready("ready, package"), ready("ready, repository"), row("get", 3, 3)]);
  const node = peer("node", [
    ready("ready, package"),
    ready("ready, package, later start"),
    ready("ready, repository"),
    row("get", 3, 3),
    row("create", 3, 3),
  ]);
  const text = measuredPage("performance.md", page, "9.9.9", { ...alone, peers: [node, deno] });
  const table = text.slice(text.indexOf("|  | Deno | ÷ bare |"), text.indexOf("<!-- end of comparison"));
  assert.deepEqual([...table.matchAll(/^\| ([a-z][^|]*) \|/gm)].map(([, name]) => name), [
    "ready, package",
    "ready, package, later start",
    "ready, repository",
    "get",
    "create",
  ]);
  assert.match(table, /^\| ready, package, later start \| {2}\| {2}\| {2}\| 300 ms \| {2}\| 11\.0 \| {2}\|$/m);
  assert.match(
    figuresOf({ ...alone, peers: [node, deno] }),
    /^\| ready, package, later start \| 300 ms \| 3,300 ms \| 11\.0 \|.*\| no target \|$/m,
  );
});

test("scales and ticks include the lowest and the highest value", () => {
  assert.deepEqual(logarithmicTicks(0.6, 13), [0.5, 1, 2, 5, 10, 20]);
  assert.deepEqual(logarithmicTicks(1, 10), [1, 2, 5, 10]);
  assert.deepEqual(linearTicks(300_000), [0, 50_000, 100_000, 150_000, 200_000, 250_000, 300_000]);
  assert.deepEqual(linearTicks(701), [0, 200, 400, 600, 800]);
  assert.deepEqual([1, 10, 100].map((value) => Math.round(logarithmic(1, 100, 50, 150)(value))), [50, 100, 150]);
});
