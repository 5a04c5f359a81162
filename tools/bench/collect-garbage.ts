/**
 * A module that is loaded into a measured server before its program: SIGUSR2 collects garbage, so that memory in use can be compared, and
 * writes the bytes of the heap in use to the file `THOLE_BENCH_HEAP`.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const file = process.env["THOLE_BENCH_HEAP"] ?? "";
const { gc } = globalThis as { gc?: () => void }; // With --expose-gc.
// Node loads the module in worker threads too.
if (isMainThread) {
  process.on("SIGUSR2", () => {
    gc?.();
    gc?.();
    writeFileSync(file, `${process.memoryUsage().heapUsed}\n`);
  });
}
