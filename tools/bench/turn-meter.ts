/**
 * A module that is loaded into a measured server before its program: the CPU time of the longest turn of the event loop. SIGUSR2 writes it, in
 * milliseconds, to the file `THOLE_BENCH_TURNS`, and resets the meter. A request needs up to three turns, so another client waits for at most
 * three of them on a machine with a core for the thread.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { isMainThread } from "node:worker_threads";
import { mainThreadMs } from "./process.ts";

const file = process.env["THOLE_BENCH_TURNS"] ?? "";
let before = mainThreadMs(process.pid).ran, longest = 0;

process.on("SIGUSR2", () => {
  writeFileSync(file, String(longest));
  longest = 0;
});
/** A timer runs once in each turn that polls I/O. */
function turn(): void {
  const { ran } = mainThreadMs(process.pid);
  longest = Math.max(longest, ran - before);
  before = ran;
  setTimeout(turn, 1).unref();
}
// Node loads the module in worker threads too.
if (isMainThread) turn();
