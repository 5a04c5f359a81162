/** Results as lines for people. */
import type { Result } from "./measure.ts";
import type { Measured } from "./measured.ts";
import { idleMiBMax, readySecondsMax, targets } from "./targets.ts";

const widths = [22, 10, 9, 9, 11, 13, 12, 9];

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index] ?? 10)).join("").trimEnd();
}

export function headLine(): string {
  return row(["", "per s", "p50 ms", "p99 ms", "CPU ms", "target", "x floor", "peak MiB"]) +
    "  (CPU of the server for one request or delivered event)";
}

export function measuredLine(measured: Measured): string {
  const { name, perSecond, p50, p99, cpuMs, floor, peakMiB, failed, missing = 0, doubled = 0 } = measured;
  const target = targets[name];
  const goal = target === undefined ? undefined : target.upstreamCpuMs * target.share;
  const mark = goal === undefined ? "" : `${cpuMs <= goal ? "<=" : "OVER"} ${short(goal)}`;
  const wrong = [[failed, "failed"], [missing, "missing"], [doubled, "doubled"]].filter(([count]) => count !== 0).map(([count, what]) =>
    `${count} ${what}`
  );
  const factor = floor === undefined ? "" : short(cpuMs / floor.cpuMs);
  return row([name, short(perSecond), short(p50), short(p99), short(cpuMs), mark, factor, peakMiB.toFixed(0)]) +
    (measured.note === undefined ? "" : `  (${measured.note})`) + (wrong.length === 0 ? "" : `  !! ${wrong.join(", ")}`);
}

export function startLines({ firstReadyMs, readyMs, idleMiB }: Result): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  return `ready after ${seconds(firstReadyMs)} s in a new folder, ${seconds(readyMs)} s in an old one (at most ${readySecondsMax} s); ` +
    `idle ${idleMiB.toFixed(0)} MiB (at most ${idleMiBMax} MiB)`;
}

/** Three digits that count. */
function short(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
