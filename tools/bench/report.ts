/** Formats results as lines. */
import type { Result } from "./measure.ts";
import type { Goal, Measured } from "./measured.ts";

const widths = [30, 10, 9, 9, 11, 11, 10, 11, 11, 11, 9];

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index] ?? 10)).join("").trimEnd();
}

export function headLine(): string {
  return row(["", "per s", "p50 ms", "p99 ms", "p99.9 ms", "CPU ms", "x floor", "x handler", "allocated", "cold CPU", "peak MiB"]) +
    "  (CPU of the server and bytes that it allocated for one request or delivered event; cold: of the first 2,000 after a start)";
}

export function measuredLine(measured: Measured): string {
  const {
    name,
    perSecond,
    p50,
    p99,
    p999,
    allocatedBytes,
    cold,
    cpuMs,
    floor,
    handler,
    peakMiB,
    failed,
    missing = 0,
    doubled = 0,
    goals,
    note,
  } = measured;
  const wrong = [[failed, "failed"], [missing, "missing"], [doubled, "doubled"]].filter(([count]) => count !== 0).map(([count, what]) =>
    `${count} ${what}`
  );
  const factor = (other: { readonly cpuMs: number } | undefined) => other === undefined ? "" : short(cpuMs / other.cpuMs);
  const given = (value: number | undefined) => value === undefined ? "" : short(value);
  const cells = [given(p999), short(cpuMs), factor(floor), factor(handler), given(allocatedBytes), given(cold?.cpuMs)];
  return row([name, short(perSecond), short(p50), short(p99), ...cells, peakMiB.toFixed(0)]) +
    goalsText(goals) + (note === undefined ? "" : `  (${note})`) + (wrong.length === 0 ? "" : `  !! ${wrong.join(", ")}`);
}

/** `  CPU ms 0.12, at most 0.117: MISSED`. */
function goalsText(goals: readonly Goal[]): string {
  if (goals.length === 0) return "  no target";
  return goals.map(({ what, value, atMost, met }) => `  ${what} ${short(value)}, at most ${short(atMost)}: ${met ? "met" : "MISSED"}`).join(
    ";",
  );
}

export function startLines({ firstReadyMs, goals, seconds, http2 = "" }: Result): string {
  return `HTTP/2 was sent by ${http2}\nready after ${(firstReadyMs / 1000).toFixed(2)} s in a new folder; in an old one:${
    goalsText(goals)
  }\nall of it took ${seconds.toFixed(0)} s`;
}

/** Rounds to three significant digits. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
