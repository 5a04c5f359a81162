/** The metrics of one server: handles to record with, and the text that a scrape reads. */
import type { Metric, Registry as TextRegistry } from "prom-client";
import { type MetricDefinition, type MetricType, seriesMaxDefault } from "./define.ts";
import { type Labels, type Series, seriesTable } from "./series.ts";

/** A number that only grows. Keep what `with` gives where the labels stay the same. */
export interface Counter<Label extends string = string> {
  with(labels: Labels<Label>): CounterSeries;
}
export interface CounterSeries {
  /** Default 1. A negative or non-finite amount is a bug and throws RangeError. */
  add(amount?: number): void;
}
/** A number that goes up and down. */
export interface Gauge<Label extends string = string> {
  with(labels: Labels<Label>): GaugeSeries;
}
export interface GaugeSeries {
  /** A NaN is a bug and throws RangeError, here and in `add`. */
  set(value: number): void;
  /** Default 1. */
  add(amount?: number): void;
}
/** Numbers sorted into buckets, with their sum and count. */
export interface Histogram<Label extends string = string> {
  with(labels: Labels<Label>): HistogramSeries;
}
export interface HistogramSeries {
  /** A non-finite value is a bug and throws RangeError. */
  observe(value: number): void;
}

export type Recorder<Definition> = Definition extends MetricDefinition<infer Type, infer Label>
  ? { counter: Counter<Label>; gauge: Gauge<Label>; histogram: Histogram<Label> }[Type]
  : never;
export type Definitions = Readonly<Record<string, MetricDefinition>>;

export interface Registry<Table extends Definitions> {
  /** A recorder per definition, under the definition's key. */
  readonly record: { readonly [Key in keyof Table]: Recorder<Table[Key]> };
  /** Runs before every scrape: sets gauges that are cheaper to count when asked. */
  beforeScrape(update: () => void | Promise<void>): void;
  /**
   * Everything in the text format 0.0.4, sorted by name; metrics that were never recorded are left out. The work is done
   * metric by metric, with a turn of the event loop in between, so that a scrape does not hold up requests.
   */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface RegistryOptions {
  /** Adds what prom-client tells about process, event loop and heap, the latter two from the first scrape on. Once per process: its
   *  monitor is never stopped. */
  readonly process?: boolean;
  /** Told when a label set no longer fits under its metric's `seriesMax`. */
  readonly overflowed?: (metric: string) => void;
}

/** A registry of its own for each server. Two definitions of one name are a mistake and throw. */
export function createRegistry<const Table extends Definitions>(definitions: Table, options: RegistryOptions = {}): Registry<Table> {
  const record: Record<string, Recording> = {};
  const exposedAs = new Map<string, Metric>();
  for (const [key, definition] of Object.entries(definitions)) {
    if (exposedAs.has(definition.name)) throw new Error(`A metric with the name ${definition.name} has already been registered.`);
    const made = recording(definition, () => options.overflowed?.(definition.name));
    record[key] = made;
    exposedAs.set(definition.name, exposed(definition, made));
  }
  const updates: (() => void | Promise<void>)[] = [];
  let writing: Promise<TextRegistry> | undefined;
  return Object.freeze({
    // Each recorder was made for the type of its definition, which the mapped type says and a loop cannot.
    record: Object.freeze(record) as unknown as Registry<Table>["record"],
    beforeScrape: (update: () => void | Promise<void>) => void updates.push(update),
    text: async () => {
      const writer = await (writing ??= textWriter(exposedAs.values(), options.process === true));
      for (const update of updates) await update();
      const parts: string[] = [];
      for (const { name } of writer.getMetricsAsArray().toSorted((a, b) => a.name < b.name ? -1 : 1)) {
        const part = await writer.getSingleMetricAsString(name);
        if (part.lastIndexOf("\n") > part.indexOf("\n")) parts.push(part, "\n");
        await turn();
      }
      return parts.join("");
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  });
}

/** Loaded when it is first scraped: a server that is not needs neither the memory nor the time at its start. */
async function textWriter(metrics: Iterable<Metric>, process: boolean): Promise<TextRegistry> {
  const { collectDefaultMetrics, Registry: Writer } = await import("prom-client");
  const writer = new Writer();
  for (const metric of metrics) writer.registerMetric(metric);
  if (process) collectDefaultMetrics({ register: writer });
  return writer;
}

/** Lets what waits in the event loop go first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Sample {
  readonly labels: Readonly<Record<string, number | string>>;
  /** Written once and kept by prom-client, by identity. */
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName: string;
}
interface Recording {
  with(labels: Readonly<Record<string, string>>): CounterSeries | GaugeSeries | HistogramSeries;
  samples(): readonly Sample[];
}

/** The part of a prom-client metric that its registry reads; see `SeriesTable` for why the numbers are kept by us. */
function exposed(definition: MetricDefinition, { samples }: Recording): Metric {
  const { name, type } = definition;
  const help = helpOf(definition);
  return {
    name,
    type,
    help,
    get: () => Promise.resolve({ name, type, help, values: samples(), aggregator: "sum" }),
    reset: () => {},
  } as unknown as Metric;
}

function helpOf({ stability, deprecatedSince, help }: MetricDefinition): string {
  return `[${stability}] ${deprecatedSince === undefined ? "" : `(Deprecated since ${deprecatedSince}) `}${help}`;
}

function recording(definition: MetricDefinition, overflowed: () => void): Recording {
  const make: Readonly<Record<MetricType, () => Recording>> = {
    counter: () => numbers(definition, () => new Count(), overflowed),
    gauge: () => numbers(definition, () => new Level(), overflowed),
    histogram: () => histogram(definition, overflowed),
  };
  return make[definition.type]();
}

function numbers(definition: MetricDefinition, makeCell: () => Count | Level, overflowed: () => void): Recording {
  const { name, labels, seriesMax = seriesMaxDefault } = definition;
  const table = seriesTable<Count | Level>(labels, seriesMax, makeCell, overflowed);
  if (labels.length === 0) table.at({});
  return {
    with: table.at,
    samples: () => table.all().map(({ labels, cell }) => ({ labels: {}, sharedLabels: labels, value: cell.value, metricName: name })),
  };
}

function histogram(definition: MetricDefinition, overflowed: () => void): Recording {
  const { name, labels, buckets = [], seriesMax = seriesMaxDefault } = definition;
  const table = seriesTable(labels, seriesMax, () => new Buckets(buckets), overflowed);
  if (labels.length === 0) table.at({});
  const bounds = [...buckets.map((bound) => ({ le: bound })), { le: "+Inf" }];
  return {
    with: table.at,
    samples: () => table.all().flatMap((series) => histogramSamples(name, bounds, series)),
  };
}

function histogramSamples(name: string, bounds: readonly { readonly le: number | string }[], { labels, cell }: Series<Buckets>): Sample[] {
  let below = 0;
  return [
    ...bounds.map((bound, index) => {
      below += cell.counts[index]!;
      return { labels: bound, sharedLabels: labels, value: below, metricName: `${name}_bucket` };
    }),
    { labels: {}, sharedLabels: labels, value: cell.sum, metricName: `${name}_sum` },
    { labels: {}, sharedLabels: labels, value: below, metricName: `${name}_count` },
  ];
}

class Count implements CounterSeries {
  value = 0;
  add(amount = 1): void {
    if (!(amount >= 0 && amount < Infinity)) throw new RangeError(`Cannot add ${amount} to a counter: it only grows`);
    this.value += amount;
  }
}

class Level implements GaugeSeries {
  value = 0;
  set(value: number): void {
    if (Number.isNaN(value)) throw new RangeError("Cannot set a gauge to NaN");
    this.value = value;
  }
  add(amount = 1): void {
    this.set(this.value + amount);
  }
}

class Buckets implements HistogramSeries {
  readonly #bounds: readonly number[];
  readonly counts: Float64Array;
  sum = 0;
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }
  observe(value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`Cannot observe ${value}`);
    let index = 0;
    while (index < this.#bounds.length && value > this.#bounds[index]!) index++;
    this.counts[index]! += 1;
    this.sum += value;
  }
}
