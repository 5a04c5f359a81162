// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Kept } from "../../tools/bench/kept.ts";
import { rowOfRates } from "../../tools/bench/peer-rows.ts";
import { measuredPage, measuredPages, newestResults } from "../../tools/docs/performance-page.ts";

const read = (path: string) => readFile(new URL(`../../docs/${path}`, import.meta.url), "utf8");
const figures = "measurements/figures.md", page = await read(figures);

const newest = newestResults();
const skip = newest === undefined ? "no results are kept in tools/bench/results" : false;

for (const path of Object.keys(measuredPages)) {
  test(`docs/${path} has the newest results; \`npm run docs\` updates it`, { skip }, async () => {
    assert.ok(newest);
    const text = await read(path);
    assert.equal(text, measuredPage(path, text, newest.release, newest.kept));
  });
}

/** What is between the marks. */
function figuresOf(text: string): string {
  return text.slice(text.indexOf("<!-- figures"), text.indexOf("<!-- end of figures"));
}

test("measuredPage() shows the targets of every scenario and whether they are met", () => {
  const rate = { requests: 1, failed: 0, perSecond: 1, p50: 1, p99: 2, cpuMs: 0.3 };
  const goals = [{ what: "CPU ms", value: 0.3, atMost: 0.37, met: true }, { what: "x floor", value: 10, atMost: 1.5, met: false }];
  const measured = [{ name: "create", ...rate, floor: { ...rate, cpuMs: 0.03 }, handler: { ...rate, cpuMs: 0.1 }, peakMiB: 99.6, goals }];
  const kept: Kept = {
    machine: { cores: 2, platform: "linux x64" },
    results: [{ store: "sqlite", runtime: "deno", firstReadyMs: 500, readyMs: 400, idleMiB: 96, seconds: 1, goals: [], measured }],
  };
  const text = figuresOf(measuredPage(figures, page, "9.9.9", kept));
  assert.match(text, /^Version 9\.9\.9 with sqlite on Deno, 2 cores:$/m);
  const row = /^\| create \|.*$/m.exec(text)?.[0];
  const wanted = "CPU ms at most 0.370: met; x floor at most 1.50: missed, 10.0";
  assert.equal(row, `| create | 0.300 | 10.0 | 3.00 | 1.00, 2.00 | 100 | ${wanted} |`);
  assert.match(text, /^\| {2}\| CPU ms \| x floor \| x handler \| p50, p99 ms \| MiB at most \| wanted \|$/m);
  assert.throws(
    () => measuredPage("performance.md", "no place", "9.9.9", kept),
    /has no marks <!-- comparison: written by npm run docs -->/,
  );
});

test("measuredPage() shows what newer results have: rare latencies, first requests, allocations and a kube-apiserver", () => {
  const rate = { requests: 1, failed: 0, perSecond: 1, p50: 1, p99: 2, p999: 3, cpuMs: 0.1, allocatedBytes: 5_000 };
  const measured = [{ name: "get", ...rate, floor: undefined, cold: { ...rate, cpuMs: 0.4 }, peakMiB: 99.6, goals: [] }];
  const row = rowOfRates("get", { ours: [rate, rate], theirs: [{ ...rate, cpuMs: 0.4 }, { ...rate, cpuMs: 0.3 }], failed: 0 });
  const kept: Kept = {
    machine: { cores: 2, platform: "linux x64" },
    results: [{ store: "sqlite", runtime: "deno", firstReadyMs: 500, readyMs: 400, idleMiB: 96, seconds: 1, goals: [], measured }],
    peers: [{ runtime: "node", http2: "Go", seconds: 1, rows: [{ ...row, cold: { ...rate, cpuMs: 0.2 } }] }],
  };
  const text = figuresOf(measuredPage(figures, page, "9.9.9", kept));
  const rows = text.split("\n").filter((line) => line.startsWith("| get |"));
  assert.deepEqual(rows, [
    "| get | 0.100 |  |  | 1.00, 2.00 | 3.00 | 0.400 | 5,000 | 100 | no target |",
    "| get | 0.100 CPU ms | 0.400 CPU ms | 4.00 (3.00, 4.00) | 1.00, 2.00, 3.00 | 1.00, 2.00, 3.00 | 0.200 | at least 3.00: met |",
  ]);
  assert.match(text, /^Version 9\.9\.9 on Node and a kube-apiserver, both on etcd, 2 cores, medians of alternating rounds:$/m);
});
