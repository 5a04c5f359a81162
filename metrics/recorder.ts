/** How metrics are recorded, by the type of their definition. */
import type { MetricDefinition } from "./define.ts";
import type { Labels } from "./series.ts";

/** A number that only grows. Keep the series that `with` returns if the labels are constant: this saves the lookup. */
export interface Counter<Label extends string = string> {
  /** The series with these values, one for each label of the definition: `{ colour: "red" }`. */
  with(labels: Labels<Label>): CounterSeries;
}
/** One series of a counter. */
export interface CounterSeries {
  /** Adds `amount`, default 1. Throws RangeError for a negative or non-finite amount. */
  add(amount?: number): void;
}
/** A number that goes up and down. */
export interface Gauge<Label extends string = string> {
  /** The series with these values, one for each label of the definition: `{ colour: "red" }`. */
  with(labels: Labels<Label>): GaugeSeries;
  /** Removes all label sets, so that stale ones disappear. Series obtained before are no longer served. */
  reset(): void;
}
/** One series of a gauge. */
export interface GaugeSeries {
  /** Throws RangeError for NaN, as `add` does. */
  set(value: number): void;
  /** Adds `amount`, default 1. */
  add(amount?: number): void;
}
/** A distribution of values: bucket counts, sum and count. */
export interface Histogram<Label extends string = string> {
  /** The series with these values, one for each label of the definition: `{ colour: "red" }`. */
  with(labels: Labels<Label>): HistogramSeries;
}
/** One series of a histogram. */
export interface HistogramSeries {
  /** Records a value in the metric's unit. Throws RangeError for a non-finite one. */
  observe(value: number): void;
}

/** Records values of metrics. */
export type Recorder<Definition> = Definition extends MetricDefinition<infer Type, infer Label>
  ? { counter: Counter<Label>; gauge: Gauge<Label>; histogram: Histogram<Label> }[Type]
  : never;
/** The recorder of a metric that a plugin in force declares. Throws an Error for any other metric. */
export type MetricOf = <Definition extends MetricDefinition>(definition: Definition) => Recorder<Definition>;
