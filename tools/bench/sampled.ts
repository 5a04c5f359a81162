/**
 * A module that is loaded into a measured server before its program: SIGUSR2 starts V8's CPU profiler of the main thread, the next one stops it and
 * writes the profile. The file `THOLE_BENCH_SAMPLED` gets a number when that is done, and the profile is beside it, with the ending `.cpuprofile`.
 */
import { Session } from "node:inspector";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const file = process.env["THOLE_BENCH_SAMPLED"] ?? "";
const intervalMicroseconds = 500;

// Node loads the module in worker threads too.
if (isMainThread) {
  const session = new Session();
  let running = false;
  process.on("SIGUSR2", () => {
    if (running) {
      session.post("Profiler.stop", (_error, { profile }) => {
        writeFileSync(`${file}.cpuprofile`, JSON.stringify(profile));
        writeFileSync(file, "0\n");
      });
    } else {
      session.connect();
      session.post("Profiler.enable");
      session.post("Profiler.setSamplingInterval", { interval: intervalMicroseconds });
      session.post("Profiler.start", () => writeFileSync(file, "1\n"));
    }
    running = true;
  });
}
