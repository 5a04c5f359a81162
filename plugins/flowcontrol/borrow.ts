/** Moves seats between levels after each period, by what they wanted in it (KEP-1040). */
import type { MetricOf } from "../../toolbox.ts";
import type { Level as AnyLevel } from "./level.ts";
import { flowMetrics } from "./metrics.ts";
import { divide } from "./seats-of-levels.ts";

type Level = Pick<AnyLevel<unknown>, "name" | "seats" | "isEnding" | "isExempt" | "period" | "give"> & {
  readonly queue: { readonly limit: number };
};

export function borrow(levels: Iterable<Level>, metric: MetricOf, now: number): void {
  const all = [...levels].filter(({ isEnding }) => !isEnding), limited = all.filter(({ isExempt }) => !isExempt);
  const periods = new Map(all.map((level) => [level, level.period(now)]));
  const total = all.reduce((sum, { seats }) => sum + seats.nominal, 0);
  // What the exempt level uses is not lent, and it has no limit.
  const used = all.filter(({ isExempt }) => isExempt).map((level) => Math.max(level.seats.lower, periods.get(level)!.highest)); // each has one
  const left = total - used.reduce((sum, each) => sum + each, 0);
  const claims = limited.map((level) => {
    const { lower, nominal, upper } = level.seats, { highest, smoothed } = periods.get(level)!; // as above
    const kept = Math.max(lower, Math.min(nominal, highest));
    return { kept, lower, claim: { lower: kept, upper, target: Math.max(kept, smoothed) } };
  });
  const lower = claims.reduce((sum, each) => sum + each.lower, 0), kept = claims.reduce((sum, each) => sum + each.kept, 0);
  const divided = left > kept ? divide(total, claims.map(({ claim }) => claim)) : undefined;
  // Too little for what the levels want: each keeps what it never lends, and the same part of the rest.
  const part = left <= lower ? 0 : (left - lower) / (kept - lower);
  metric(flowMetrics.fair).with({}).set(divided === undefined ? 0 : Math.min(divided.proportion, Number.MAX_VALUE));
  limited.forEach((level, index) => {
    const claim = claims[index]!; // the lists are parallel
    const seats = divided?.seats[index] ?? claim.lower + (claim.kept - claim.lower) * part;
    level.give(Math.round(seats), now);
    metric(flowMetrics.target).with({ priority_level: level.name }).set(claim.claim.target);
  });
  for (const level of all) record(level, periods.get(level)!, metric); // each has one
}

function record({ name, queue, seats }: Level, period: ReturnType<Level["period"]>, metric: MetricOf): void {
  const labels = { priority_level: name };
  metric(flowMetrics.nominal).with(labels).set(seats.nominal);
  metric(flowMetrics.lower).with(labels).set(seats.lower);
  metric(flowMetrics.upper).with(labels).set(seats.upper);
  metric(flowMetrics.current).with(labels).set(Number.isFinite(queue.limit) ? queue.limit : seats.nominal);
  metric(flowMetrics.highest).with(labels).set(period.highest);
  metric(flowMetrics.average).with(labels).set(period.average);
  metric(flowMetrics.deviation).with(labels).set(period.deviation);
  metric(flowMetrics.smoothed).with(labels).set(period.smoothed);
}
