/** 10,000 watches whose clients read nothing or a little: what a write takes beside them, and the memory of the server. */
import { type FanOutOptions, openRig, type Rig, token, watchedPath, watchesPerConnection } from "./fan-out-rig.ts";
import { memoryMiB } from "./process.ts";
import { short } from "./report.ts";
import { readFileSync } from "node:fs";
import { openConnection } from "./connection.ts";
import type { Target } from "./target.ts";

const watchers = 10_000, writesPerSecond = 50;
/** Watches that read, and whose events are counted. */
const readers = 8;
/** Bytes that each slow watch accepts in a second. */
const bytesPerSecond = 100;
const warmUpWrites = 300;

/** What the server says of slow watches. */
const metrics = [
  "apiserver_terminated_watchers_total",
  "thole_watch_pending_bytes",
  "apiserver_longrunning_requests",
];

/** Prints a table. Resolves with whether the watches that read got each event once and in order. */
export async function measureSlow(options: FanOutOptions): Promise<boolean> {
  const { tell, seconds, share, runtime } = options, count = Math.ceil(watchers * share);
  tell("| watches beside it | writes | p50, p99 of a write, ms | p50, p99 of its event | MiB now, peak | metrics |");
  tell("|---|---|---|---|---|---|");
  const rig = await openRig(runtime);
  let isWhole = true;
  try {
    const target = await rig.server(1), child = rig.child();
    const opened = await rig.generatorOn(child).openWatches({ ...target, path: watchedPath, watchers: readers, writesPerSecond });
    const writes = Math.ceil(writesPerSecond * seconds);
    const row = async (name: string): Promise<void> => {
      const { missing, doubled, p50, p99, writeP50 = NaN, writeP99 = NaN } = await opened.run(writes);
      isWhole &&= missing + doubled === 0;
      const { now, peak } = memoryMiB(target.pid), told = await metricsOf(target);
      const cells = [
        name,
        writes,
        `${short(writeP50)}, ${short(writeP99)}`,
        `${short(p50)}, ${short(p99)}`,
        `${now.toFixed(0)}, ${peak.toFixed(0)}`,
        told,
      ];
      tell(`| ${cells.join(" | ")} |`);
    };
    await opened.run(Math.ceil(warmUpWrites * share));
    await row("none");
    await openSlow(rig, target, "trickle", count);
    for (const moment of ["at first", "later", "later"]) await row(`${count}, each reads ${bytesPerSecond} bytes a second, ${moment}`);
    await openSlow(rig, target, "deaf", count);
    for (const moment of ["at first", "later", "later"]) await row(`${count} more that read nothing, ${moment}`);
    await opened.close();
  } finally {
    await rig.close();
  }
  return isWhole;
}

async function openSlow(rig: Rig, target: Target, slowness: "deaf" | "trickle", count: number): Promise<void> {
  await rig.child().ask({
    ...{ ...target, step: "open slow", path: watchedPath, watchers: count, slowness, bytes: bytesPerSecond },
    connections: Math.ceil(count / watchesPerConnection),
  });
}

/** The sums of the metrics over their labels. */
async function metricsOf({ port, ca }: Target): Promise<string> {
  const connection = await openConnection({ port, ca: readFileSync(ca, "utf8") });
  let text = "";
  await connection.request(
    `GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    (piece) => text += piece.toString("latin1"),
  );
  connection.close();
  return metrics.map((name) => {
    const lines = text.split("\n").filter((line) => line.startsWith(name) && (line[name.length] === "{" || line[name.length] === " "));
    return `${name} ${lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0)}`;
  }).join("; ");
}
