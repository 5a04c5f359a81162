/**
 * A module that is loaded into a measured server before its program: SIGUSR2 writes the bytes that V8 has allocated for the main thread since the
 * start to the file `THOLE_BENCH_ALLOCATED`. Contents of buffers are outside of V8's heap and not included, and neither are other threads.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { GCProfiler, getHeapStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

const file = process.env["THOLE_BENCH_ALLOCATED"] ?? "";
/** Garbage collections are summed up after this time, so that the profile stays small. */
const sumEveryMs = 5_000;

/** What V8 counts itself, since its version 14. */
function counted(): number | undefined {
  return (getHeapStatistics() as { total_allocated_bytes?: number }).total_allocated_bytes; // Not yet in the types.
}

/** The growth of the heap between garbage collections, summed up. */
function summed(): () => number {
  let profiler = new GCProfiler(), total = 0, used = getHeapStatistics().used_heap_size;
  profiler.start();
  const sum = () => {
    for (const { beforeGC, afterGC } of profiler.stop()?.statistics ?? []) {
      total += beforeGC.heapStatistics.usedHeapSize - used;
      used = afterGC.heapStatistics.usedHeapSize;
    }
    const now = getHeapStatistics().used_heap_size;
    total += now - used;
    used = now;
    profiler = new GCProfiler();
    profiler.start();
    return total;
  };
  setInterval(sum, sumEveryMs).unref();
  return sum;
}

// Node loads the module in worker threads too.
if (isMainThread) {
  const allocated = counted() === undefined ? summed() : () => counted() ?? NaN;
  process.on("SIGUSR2", () => writeFileSync(file, `${allocated()}\n`));
}
