/** Metrics of the process: memory, processor time and delay of the event loop. */
import { readdir, readFile } from "node:fs/promises";
import { PerformanceObserver } from "node:perf_hooks";
import process from "node:process";
import { type Combination, defineMetric, type Recorder } from "../../metrics/mod.ts";

const gauge = <Name extends string>(name: Name, help: string, combined: Combination = "sum") =>
  defineMetric({ name, type: "gauge", help, labels: [], stability: "ALPHA", sparse: true, combined });
const pauseBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export const processMetrics = Object.freeze({
  cpuSeconds: defineMetric({
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "CPU time of the process, in seconds.",
    labels: [],
    stability: "ALPHA",
  }),
  residentBytes: gauge("process_resident_memory_bytes", "Memory of the process that is in RAM, in bytes."),
  virtualBytes: gauge("process_virtual_memory_bytes", "Address space of the process, in bytes, if the system permits reading it."),
  startSeconds: gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", "min"),
  openFiles: gauge("process_open_fds", "Open files and sockets, if the system permits counting them.", "each"),
  openFilesMax: gauge("process_max_fds", "Limit of open files and sockets, if the system permits reading it.", "each"),
  heapTotalBytes: gauge("nodejs_heap_size_total_bytes", "Size of the engine's heap, in bytes."),
  heapUsedBytes: gauge("nodejs_heap_size_used_bytes", "Heap in use, in bytes; falls with each garbage collection."),
  externalBytes: gauge("nodejs_external_memory_bytes", "Memory of objects outside of the heap, such as buffers, in bytes."),
  eventLoopSeconds: defineMetric({
    name: "nodejs_eventloop_delay_seconds",
    type: "histogram",
    help: "Delay of timers in seconds, which is the time that the event loop was blocked.",
    labels: [],
    buckets: pauseBuckets,
    stability: "ALPHA",
  }),
  gcSeconds: defineMetric({
    name: "nodejs_gc_duration_seconds",
    type: "histogram",
    help: "Garbage collection pauses in seconds, by kind: minor, major, incremental or weakcb. Not available on Deno.",
    labels: ["kind"],
    buckets: pauseBuckets,
    stability: "ALPHA",
  }),
});

export type ProcessRecord = { readonly [Key in keyof typeof processMetrics]: Recorder<(typeof processMetrics)[Key]> };

/** Updates the metrics that have a current value; called for every scrape. */
export function processReader(record: ProcessRecord): () => Promise<void> {
  let cpuSeconds = 0;
  record.startSeconds.with({}).set(performance.timeOrigin / 1000);
  return async () => {
    const { user, system } = process.cpuUsage();
    const now = (user + system) / 1e6;
    record.cpuSeconds.with({}).add(Math.max(0, now - cpuSeconds));
    cpuSeconds = Math.max(now, cpuSeconds);
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    record.residentBytes.with({}).set(rss);
    record.heapTotalBytes.with({}).set(heapTotal);
    record.heapUsedBytes.with({}).set(heapUsed);
    record.externalBytes.with({}).set(external);
    await readProc(record);
  };
}

/** More metrics on Linux; omitted in a sandbox that forbids reading /proc. */
async function readProc(record: ProcessRecord): Promise<void> {
  const read = (path: string) => readFile(path, "utf8").catch(() => "");
  const [status, bounds, files] = await Promise.all([
    read("/proc/self/status"),
    read("/proc/self/limits"),
    readdir("/proc/self/fd").catch(() => undefined),
  ]);
  const kibibytes = /^VmSize:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes !== undefined) record.virtualBytes.with({}).set(Number(kibibytes) * 1024);
  const most = /^Max open files\s+(\d+)/m.exec(bounds)?.[1];
  if (most !== undefined) record.openFilesMax.with({}).set(Number(most));
  if (files !== undefined) record.openFiles.with({}).set(files.length);
}

/**
 * Milliseconds between measurements. Each one wakes the process, on Deno twice: at ten per second they were most of the wakeups of an idle
 * server.
 */
const tickMs = 500;

/** Measures the event loop and garbage collection until the signal aborts. Call it once per process. */
export function watchProcess(record: ProcessRecord, signal: AbortSignal): void {
  if (signal.aborted) return;
  const delay = record.eventLoopSeconds.with({});
  let due = performance.now() + tickMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + tickMs;
  }, tickMs);
  timer.unref();
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) record.gcSeconds.with({ kind: gcKind(entry) }).observe(entry.duration / 1000);
  });
  collections.observe({ entryTypes: ["gc"] });
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    collections.disconnect();
  }, { once: true });
}

/** Keys: Node's constants of perf_hooks. */
const gcKinds: ReadonlyMap<unknown, string> = new Map([[1, "minor"], [4, "major"], [8, "incremental"], [16, "weakcb"]]);

function gcKind(entry: object): string {
  const detail: unknown = "detail" in entry ? entry.detail : undefined;
  const kind = typeof detail === "object" && detail !== null && "kind" in detail ? detail.kind : undefined;
  return gcKinds.get(kind) ?? "other";
}
