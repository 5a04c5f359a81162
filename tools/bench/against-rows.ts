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
/** Share of the rounds that must agree: of seven rounds that say nothing, six agree by chance in one of sixteen comparisons. */
const agreeingMin = 0.8;

/**
 * Compares round by round. A row is dearer, or cheaper, if the median of the ratios is beyond `changeMin` and most rounds agree. Both lists have a value
 * for each round.
 */
export function differenceOf(name: string, what: Difference["what"], ours: readonly number[], theirs: readonly number[]): Difference {
  const ratios = ours.map((each, round) => each / theirs[round]!), ratio = median(ratios);
  const agree = (above: boolean) => ratios.filter((each) => above ? each > 1 : each < 1).length >= agreeingMin * ratios.length;
  const verdict = ratio > 1 + changeMin && agree(true) ? "dearer" : ratio < 1 / (1 + changeMin) && agree(false) ? "cheaper" : "same";
  return {
    ...{ name, what, ours: median(ours), theirs: median(theirs), ratio, verdict, failed: 0 },
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
}

/** `update      CPU ms 0.250 / 0.230: 1.09 times (1.02 to 1.12): DEARER`. */
export function differenceLine({ name, what, ours, theirs, ratio, lowest, highest, verdict, failed }: Difference): string {
  const judged = verdict === "dearer" ? ": DEARER" : verdict === "cheaper" ? ": cheaper" : "";
  return `${name.padEnd(nameWidth)} ${what} ${short(ours)} / ${short(theirs)}: ${short(ratio)} times (${short(lowest)} to ${
    short(highest)
  })${judged}` + (failed === 0 ? "" : `  !! ${failed} failed or missing`);
}
