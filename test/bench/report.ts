/** Formats results as lines. */
import type { Result } from "./measure.ts";
import type { Goal, Measured } from "./measured.ts";

const widths = [22, 10, 9, 9, 11, 10, 11, 9];

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index] ?? 10)).join("").trimEnd();
}

export function headLine(): string {
  return row(["", "per s", "p50 ms", "p99 ms", "CPU ms", "x floor", "x handler", "peak MiB"]) +
    "  (CPU of the server for one request or delivered event)";
}

export function measuredLine(measured: Measured): string {
  const { name, perSecond, p50, p99, cpuMs, floor, handler, peakMiB, failed, missing = 0, doubled = 0, goals, note } = measured;
  const wrong = [[failed, "failed"], [missing, "missing"], [doubled, "doubled"]].filter(([count]) => count !== 0).map(([count, what]) =>
    `${count} ${what}`
  );
  const factor = (other: { readonly cpuMs: number } | undefined) => other === undefined ? "" : short(cpuMs / other.cpuMs);
  return row([name, short(perSecond), short(p50), short(p99), short(cpuMs), factor(floor), factor(handler), peakMiB.toFixed(0)]) +
    goalsText(goals) + (note === undefined ? "" : `  (${note})`) + (wrong.length === 0 ? "" : `  !! ${wrong.join(", ")}`);
}

/** `  CPU ms 0.12, at most 0.117: MISSED`. */
function goalsText(goals: readonly Goal[]): string {
  if (goals.length === 0) return "  no target";
  return goals.map(({ what, value, atMost, met }) => `  ${what} ${short(value)}, at most ${short(atMost)}: ${met ? "met" : "MISSED"}`).join(
    ";",
  );
}

export function startLines({ firstReadyMs, goals, seconds }: Result): string {
  return `ready after ${(firstReadyMs / 1000).toFixed(2)} s in a new folder; in an old one:${goalsText(goals)}\nall of it took ${
    seconds.toFixed(0)
  } s`;
}

/** Rounds to three significant digits. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
