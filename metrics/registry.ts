/** The metrics of one server: handles to record with, and the text that a scrape reads. */
import type { Metric, Registry as TextRegistry } from "prom-client";
import type { AllowedLabels } from "./allowed-labels.ts";
import { type MetricDefinition, type MetricType, seriesMaxDefault } from "./define.ts";
import { type MetricState, stateAt } from "./lifecycle.ts";
import { type Labels, type Series, type SeriesTable, seriesTable } from "./series.ts";

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
  /** Forgets all label sets, of which some may no longer be; what `with` gave before counts for nothing from then on. */
  reset(): void;
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
   * Everything in the text format 0.0.4, sorted by name; metrics with labels that were never recorded are left out. The work is done
   * metric by metric, with a turn of the event loop in between, so that a scrape does not hold up requests. `which` leaves out others.
   */
  text(which?: "slis"): Promise<string>;
  readonly contentType: string;
  /** Every definition and how it stands; what is disabled, hidden or gone is neither recorded nor written. */
  readonly standing: readonly { readonly definition: MetricDefinition; readonly state: MetricState | "disabled" }[];
}

export interface RegistryOptions {
  /** The minor release by which deprecated metrics are judged; without one, none is ever hidden. */
  readonly release?: string;
  /** Metrics that are hidden at the release are shown all the same; what is gone stays gone. */
  readonly showHidden?: boolean;
  /** Names of metrics to leave out, whatever else is said of them. */
  readonly disabled?: readonly string[];
  readonly allowedLabels?: AllowedLabels;
  /** Told when a label set no longer fits under its metric's `seriesMax`. */
  readonly overflowed?: (metric: string) => void;
  /** Told when a label took a value that is not among those allowed. */
  readonly refused?: (metric: string) => void;
  /** Told once of a deprecated metric that is recorded. */
  readonly deprecatedUsed?: (definition: MetricDefinition) => void;
}

/** A registry of its own for each server. Two definitions of one name are a mistake and throw. */
export function createRegistry<const Table extends Definitions>(definitions: Table, options: RegistryOptions = {}): Registry<Table> {
  const record: Record<string, Recording> = {};
  const names = new Set<string>();
  const shown: Shown[] = [];
  const standing: { readonly definition: MetricDefinition; readonly state: MetricState | "disabled" }[] = [];
  for (const [key, definition] of Object.entries(definitions)) {
    const { name } = definition;
    if (names.has(name)) throw new Error(`A metric with the name ${name} has already been registered.`);
    names.add(name);
    const state = standingOf(definition, options);
    standing.push({ definition, state });
    if (state === "disabled" || state === "hidden" || state === "gone") {
      record[key] = unrecorded;
      continue;
    }
    const made = recording(definition, options);
    record[key] = state === "deprecated" ? toldOnce(made, () => options.deprecatedUsed?.(definition)) : made;
    shown.push({ name, metric: exposed(definition, made, state === "deprecated"), sli: definition.sli === true });
  }
  const updates: (() => void | Promise<void>)[] = [];
  let writing: Promise<TextRegistry> | undefined;
  const sorted = shown.toSorted((a, b) => a.name < b.name ? -1 : 1);
  return Object.freeze({
    // Each recorder was made for the type of its definition, which the mapped type says and a loop cannot.
    record: Object.freeze(record) as unknown as Registry<Table>["record"],
    beforeScrape: (update: () => void | Promise<void>) => void updates.push(update),
    text: async (which?: "slis") => {
      const writer = await (writing ??= textWriter(sorted.map(({ metric }) => metric)));
      if (which === undefined) { for (const update of updates) await update(); }
      const parts: string[] = [];
      for (const { name, sli } of sorted) {
        if (which === "slis" && !sli) continue;
        const part = await writer.getSingleMetricAsString(name);
        if (part.lastIndexOf("\n") > part.indexOf("\n")) parts.push(part, "\n");
        await turn();
      }
      return parts.join("");
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    standing: Object.freeze(standing),
  });
}

interface Shown {
  readonly name: string;
  readonly metric: Metric;
  readonly sli: boolean;
}

/** To be disabled is stronger than to be shown although hidden, as upstream has it. */
function standingOf(definition: MetricDefinition, { disabled = [], release, showHidden }: RegistryOptions): MetricState | "disabled" {
  if (disabled.includes(definition.name)) return "disabled";
  if (release === undefined) return definition.deprecatedSince === undefined ? "shown" : "deprecated";
  const state = stateAt(definition, release);
  return state === "hidden" && showHidden === true ? "deprecated" : state;
}

/** Loaded when it is first scraped: a server that is not needs neither the memory nor the time at its start. */
async function textWriter(metrics: readonly Metric[]): Promise<TextRegistry> {
  const { Registry: Writer } = await import("prom-client");
  const writer = new Writer();
  for (const metric of metrics) writer.registerMetric(metric);
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
  reset(): void;
}

/** The part of a prom-client metric that its registry reads; see `SeriesTable` for why the numbers are kept by us. */
function exposed(definition: MetricDefinition, { samples }: Recording, deprecated: boolean): Metric {
  const { name, type } = definition;
  const help = helpOf(definition, deprecated);
  return {
    name,
    type,
    help,
    get: () => Promise.resolve({ name, type, help, values: samples(), aggregator: "sum" }),
    reset: () => {},
  } as unknown as Metric;
}

function helpOf({ stability, deprecatedSince, help }: MetricDefinition, deprecated: boolean): string {
  return `[${stability}] ${deprecated ? `(Deprecated since ${deprecatedSince}) ` : ""}${help}`;
}

/** For what is not served: it keeps nothing. */
const unrecorded: Recording = Object.freeze({
  with: () => nowhere,
  reset() {},
  samples: () => [],
});
const nowhere: CounterSeries & GaugeSeries & HistogramSeries = Object.freeze({ add() {}, set() {}, observe() {} });

/** The same, and `tell` is called when it is used for the first time. */
function toldOnce(made: Recording, tell: () => void): Recording {
  let told = false;
  return {
    with(labels) {
      if (!told) tell();
      told = true;
      return made.with(labels);
    },
    reset: made.reset,
    samples: made.samples,
  };
}

function recording(definition: MetricDefinition, options: RegistryOptions): Recording {
  const { name, labels: names, seriesMax = seriesMaxDefault } = definition;
  const allowed = options.allowedLabels?.get(name);
  const rules = {
    names,
    seriesMax,
    allowed,
    overflowed: () => options.overflowed?.(name),
    refused: () => options.refused?.(name),
  };
  const make: Readonly<Record<MetricType, () => Recording>> = {
    counter: () => numbers(name, seriesTable<Count | Level>(rules, () => new Count())),
    gauge: () => numbers(name, seriesTable<Count | Level>(rules, () => new Level())),
    histogram: () => histogram(name, definition.buckets ?? [], (makeCell) => seriesTable(rules, makeCell)),
  };
  const made = make[definition.type]();
  if (names.length === 0 && definition.sparse !== true) made.with({});
  return made;
}

function numbers(metricName: string, table: SeriesTable<Count | Level>): Recording {
  return {
    with: table.at,
    reset: table.clear,
    samples: () => table.all().map(({ labels, cell }) => ({ labels: {}, sharedLabels: labels, value: cell.value, metricName })),
  };
}

function histogram(name: string, buckets: readonly number[], tableOf: (makeCell: () => Buckets) => SeriesTable<Buckets>): Recording {
  const table = tableOf(() => new Buckets(buckets));
  const bounds = [...buckets.map((bound) => ({ le: bound })), { le: "+Inf" }];
  return {
    with: table.at,
    reset: table.clear,
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
