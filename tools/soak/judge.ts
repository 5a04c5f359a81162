/** Which of the things that clients saw must not happen. */
import type { Tally } from "./client.ts";

/** A time in which failed requests are expected: from the signal to some seconds after the server is ready again. Unix times in milliseconds. */
export interface Outage {
  readonly from: number;
  to: number;
}

export interface Verdict {
  /** Violations, failures outside of outages, and clients that did nothing. */
  readonly faults: readonly string[];
  /** Failures in outages. */
  readonly duringRestarts: number;
}

/** `tallies`: by the name of the client. */
export function judge(tallies: ReadonlyMap<string, Tally>, outages: readonly Outage[]): Verdict {
  const faults: string[] = [];
  let duringRestarts = 0;
  for (const [name, tally] of tallies) {
    faults.push(...tally.faults.map((text) => `${name}: ${text}`));
    for (const { at, text } of tally.failures) {
      if (outages.some(({ from, to }) => at >= from && at <= to)) duringRestarts++;
      else faults.push(`${name}, ${new Date(at).toISOString()}: ${text}`);
    }
    if ([...tally.counts.keys()].every((what) => what === "failures")) faults.push(`${name}: it did nothing`);
  }
  return { faults, duringRestarts };
}
