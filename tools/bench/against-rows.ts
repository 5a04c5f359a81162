/** The difference of two checkouts in one scenario, and whether it is more than noise. */
import { median } from "./percentile.ts";
import { nameWidth } from "./peer-rows.ts";
import { short } from "./report.ts";

export interface Difference {
  readonly name: string;
  /** What is compared: CPU of a request, an event or a start, or resident memory. */
  readonly what: "CPU ms" | "MiB";
  /** Medians of the rounds. */
  readonly ours: number;
  readonly theirs: number;
  /** Ours as a multiple of theirs: the median of the rounds, and the lowest and highest of them. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  readonly verdict: "dearer" | "cheaper" | "same";
  /** Failed requests, or missing and doubled events, of both. */
  readonly failed: number;
}

/** A smaller change is not judged. */
export const changeMin = 0.05;

interface Sitting {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly failed: number;
}

/**
 * Compares round by round; both lists of a sitting have a value for each. A row is dearer, or cheaper, if the median of all ratios is beyond `changeMin`
 * and the median of each sitting is on the same side of 1: two processes with the same code can differ by more than `changeMin`.
 */
export function differenceOf(name: string, what: Difference["what"], sittings: readonly Sitting[]): Difference {
  const ratios = sittings.map(({ ours, theirs }) => ours.map((each, round) => each / theirs[round]!)),
    all = ratios.flat(),
    ratio = median(all);
  const agree = (sign: number) => ratios.every((ofSitting) => (median(ofSitting) - 1) * sign > 0);
  const verdict = ratio > 1 + changeMin && agree(1) ? "dearer" : ratio < 1 / (1 + changeMin) && agree(-1) ? "cheaper" : "same";
  return {
    ...{ name, what, ratio, verdict },
    ours: median(sittings.flatMap(({ ours }) => ours)),
    theirs: median(sittings.flatMap(({ theirs }) => theirs)),
    lowest: Math.min(...all),
    highest: Math.max(...all),
    failed: sittings.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** `update      CPU ms 0.250 / 0.230: 1.09 times (1.02 to 1.12): DEARER`. */
export function differenceLine({ name, what, ours, theirs, ratio, lowest, highest, verdict, failed }: Difference): string {
  const judged = verdict === "dearer" ? ": DEARER" : verdict === "cheaper" ? ": cheaper" : "";
  return `${name.padEnd(nameWidth)} ${what} ${short(ours)} / ${short(theirs)}: ${short(ratio)} times (${short(lowest)} to ${
    short(highest)
  })${judged}` + (failed === 0 ? "" : `  !! ${failed} failed or missing`);
}
