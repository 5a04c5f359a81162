/** 5,000 watches at 200 writes a second on a server with one worker and with two: whether it keeps up, and what an event costs. */
import { performance } from "node:perf_hooks";
import { type FanOutOptions, openRig, type Rig, watchedPath, watchesPerConnection } from "./fan-out-rig.ts";
import { cpuMs, treeCpuMs, treeOf } from "./process.ts";
import { short } from "./report.ts";

const watchers = 5_000, writesPerSecond = 200;
/** Bytes of data of the objects: an event has some 350 more. */
const sizes = [100, 1_000];
/** Writes before the measurement, until the code is compiled. */
const warmUpWrites = 200;

/** Prints a table. Resolves with whether each watch got each event once and in order. */
export async function measureMany(options: FanOutOptions): Promise<boolean> {
  options.tell(
    "| workers | bytes of data | writes a second | events a second | p50, p99 ms | last event after the last write, s | CPU of the server, cores | busiest worker | CPU of the clients | us of CPU for an event | missing, doubled |",
  );
  options.tell("|---|---|---|---|---|---|---|---|---|---|---|");
  let isWhole = true;
  for (const workers of [1, 2]) {
    const rig = await openRig(options.runtime);
    try {
      isWhole = await measureOne(rig, workers, options) && isWhole;
    } finally {
      await rig.close();
    }
  }
  return isWhole;
}

async function measureOne(rig: Rig, workers: number, { seconds, share, tell }: FanOutOptions): Promise<boolean> {
  const target = await rig.server(workers), count = Math.ceil(watchers * share);
  let isWhole = true;
  for (const bytes of sizes) {
    const child = rig.child();
    const { openWatches } = rig.generatorOn(child);
    const opened = await openWatches({
      ...{ ...target, path: watchedPath, watchers: count, writesPerSecond, bytes },
      connections: Math.ceil(count / watchesPerConnection),
    });
    await opened.run(Math.ceil(warmUpWrites * share));
    const pids = treeOf(target.pid), before = pids.map(cpuMs), ofClients = cpuMs(child.pid), start = performance.now();
    const cpuBefore = treeCpuMs(target.pid);
    const { delivered, missing, doubled, seconds: took, p50, p99, writeSeconds = NaN } = await opened.run(
      Math.ceil(writesPerSecond * seconds),
    );
    const ms = performance.now() - start, cpu = treeCpuMs(target.pid) - cpuBefore;
    const busiest = Math.max(...pids.map((pid, index) => cpuMs(pid) - before[index]!)); // One for each.
    isWhole &&= missing + doubled === 0;
    const cells = [
      ...[workers, bytes, short(writesPerSecond * seconds / writeSeconds), short(delivered / took), `${short(p50)}, ${short(p99)}`],
      ...[short(took - writeSeconds), short(cpu / ms), short(busiest / ms), short((cpuMs(child.pid) - ofClients) / ms)],
      ...[short(cpu * 1000 / delivered), `${missing}, ${doubled}`],
    ];
    tell(`| ${cells.join(" | ")} |`);
    await opened.close();
    await child.stop();
  }
  return isWhole;
}
