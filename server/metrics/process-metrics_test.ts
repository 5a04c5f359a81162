// In a process of its own: it measures the process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../../metrics/mod.ts";
import { processMetrics, processReader, watchProcess } from "./process-metrics.ts";

/** Bound of each wait in milliseconds. */
const patienceMs = 60_000;

test("processReader() reports memory, CPU time and start time, and omits values that it may not read", async () => {
  const registry = createRegistry(processMetrics);
  registry.beforeScrape(processReader(registry.record));
  const value = (text: string, name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  const first = await registry.text();
  for (const name of ["process_resident_memory_bytes", "nodejs_heap_size_used_bytes", "nodejs_heap_size_total_bytes"]) {
    assert.ok(value(first, name) > 1_000_000, name);
  }
  const begun = value(first, "process_start_time_seconds");
  assert.ok(begun <= Date.now() / 1000 && begun > Date.now() / 1000 - 24 * 3600);
  const busyUntil = value(first, "process_cpu_seconds_total");
  const end = performance.now() + patienceMs;
  while (process.cpuUsage().user + process.cpuUsage().system < busyUntil * 1e6 + 20_000 && performance.now() < end);
  assert.ok(value(await registry.text(), "process_cpu_seconds_total") > busyUntil);
  for (const name of ["process_open_fds", "process_max_fds", "process_virtual_memory_bytes"]) {
    assert.ok(!first.includes(`\n${name} `) || value(first, name) > 0, name);
  }
});

test("watchProcess() measures the delay of timers behind other work", async () => {
  const { record, text } = createRegistry(processMetrics);
  const ending = new AbortController();
  watchProcess(record, ending.signal);
  const sum = async () => Number(/^nodejs_eventloop_delay_seconds_sum (.*)$/m.exec(await text())![1]);
  // Keeps the test alive: the measuring timer is unreferenced.
  const alive = setInterval(() => {}, 10);
  const until = performance.now() + 1_200; // Longer than two intervals.
  while (performance.now() < until);
  const delayed = await comesToHold(async () => await sum() >= 0.1);
  clearInterval(alive);
  ending.abort();
  assert.ok(delayed, `${await sum()} s of delay were measured`);
});

const untold = PerformanceObserver.supportedEntryTypes.includes("gc") ? false : "this runtime does not report garbage collection pauses";

test("watchProcess() measures garbage collection pauses by kind", { skip: untold }, async () => {
  const { record, text } = createRegistry(processMetrics);
  const ending = new AbortController();
  watchProcess(record, ending.signal);
  const pauses = async () => Number(/^nodejs_gc_duration_seconds_count\{kind="minor"\} (.*)$/m.exec(await text())?.[1] ?? 0);
  const paused = await comesToHold(async () => {
    Array.from({ length: 100_000 }, (_, index) => ({ index }));
    return await pauses() > 0;
  });
  ending.abort();
  assert.ok(paused, "no pause was measured");
});

/** Whether the condition becomes true. */
async function comesToHold(condition: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + patienceMs; !await condition();) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
