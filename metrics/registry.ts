/** The metrics of one server: recorders, and the text of a scrape. */
import type { Metric, Registry as TextRegistry } from "prom-client";
import type { AllowedLabels } from "./allowed-labels.ts";
import { type MetricDefinition, type MetricType, seriesMaxDefault } from "./define.ts";
import { type MetricState, stateAt } from "./lifecycle.ts";
import { type Labels, type Series, type SeriesTable, seriesTable } from "./series.ts";

/** A number that only grows. Keep the series that `with` returns if the labels are constant: this saves the lookup. */
export interface Counter<Label extends string = string> {
  with(labels: Labels<Label>): CounterSeries;
}
/** One series of a counter. */
export interface CounterSeries {
  /** Adds `amount`, default 1. Throws RangeError for a negative or non-finite amount. */
  add(amount?: number): void;
}
/** A number that goes up and down. */
export interface Gauge<Label extends string = string> {
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
export type Definitions = Readonly<Record<string, MetricDefinition>>;

export interface Registry<Table extends Definitions> {
  /** One recorder for each definition, under its key in the table. */
  readonly record: { readonly [Key in keyof Table]: Recorder<Table[Key]> };
  /**
   * Replaces the metrics of plugins. Metrics that stay keep their values. Those that are gone are no longer served, but can still be
   * recorded, because requests and controllers that use them may still run. Names must differ from those in the table.
   */
  adopt(definitions: readonly MetricDefinition[]): void;
  /** The recorder of a metric that was adopted, by its name. Throws an Error for any other. */
  readonly metric: MetricOf;
  /** Registers a function that runs before every scrape, for gauges that are computed on demand. */
  beforeScrape(update: () => void | Promise<void>): void;
  /**
   * The metrics in Prometheus' text format 0.0.4, sorted by name. A metric with labels appears after its first recording. The event
   * loop runs between two metrics, so that a scrape does not delay requests. `which` limits the text to service level indicators.
   */
  text(which?: "slis"): Promise<string>;
  readonly contentType: string;
  /** Every definition in force with its state. Disabled, hidden and gone metrics are neither recorded nor served. */
  readonly standing: readonly { readonly definition: MetricDefinition; readonly state: MetricState | "disabled" }[];
}

export interface RegistryOptions {
  /** The minor release that decides the state of deprecated metrics, as "1.35". Absent: no metric is hidden. */
  readonly release?: string;
  /** Serve metrics that are hidden in this release. */
  readonly showHidden?: boolean;
  /** Names of metrics to leave out. Takes precedence over `showHidden`. */
  readonly disabled?: readonly string[];
  readonly allowedLabels?: AllowedLabels;
  /** Called for each recording whose label set exceeds `seriesMax` of its metric. */
  readonly overflowed?: (metric: string) => void;
  /** Called for each recording with a label value that is not allowed. */
  readonly refused?: (metric: string) => void;
  /** Called at the first recording of each deprecated metric. */
  readonly deprecatedUsed?: (definition: MetricDefinition) => void;
}

/**
 * Makes the registry of one server.
 *
 * @param definitions the metrics, by the key of their recorder
 * @throws Error if two definitions have one name
 */
export function createRegistry<const Table extends Definitions>(definitions: Table, options: RegistryOptions = {}): Registry<Table> {
  const entries = Object.entries(definitions).map(([key, definition]) => ({ key, entry: entryOf(definition, options) }));
  const names = new Set<string>();
  for (const { entry: { definition: { name } } } of entries) {
    if (names.has(name)) throw new Error(`A metric with the name ${name} has already been registered.`);
    names.add(name);
  }
  const own = entries.map(({ entry }) => entry);
  const adopted = new Map<string, Entry>();
  let inForce: readonly Entry[] = own, sorted = shownOf(own);
  const updates: (() => void | Promise<void>)[] = [];
  let writing: Promise<TextRegistry> | undefined;
  return Object.freeze({
    // `as`: each recorder was made for the type of its definition; a loop cannot express the mapped type.
    record: Object.freeze(Object.fromEntries(entries.map(({ key, entry }) => [key, entry.recording]))) as unknown as Registry<
      Table
    >["record"],
    adopt(next: readonly MetricDefinition[]) {
      const others = next.map((definition) => {
        const before = adopted.get(definition.name);
        return before !== undefined && isSame(before.definition, definition) ? before : entryOf(definition, options);
      });
      for (const entry of others) adopted.set(entry.definition.name, entry);
      inForce = [...own, ...others];
      sorted = shownOf(inForce);
      writing = undefined;
    },
    metric<Definition extends MetricDefinition>({ name }: Definition): Recorder<Definition> {
      const entry = adopted.get(name);
      if (entry === undefined) throw new Error(`Cannot record the metric "${name}": no plugin in force declares it in \`metrics\``);
      return entry.recording as unknown as Recorder<Definition>; // `as`: it was made for a definition of this name
    },
    beforeScrape: (update: () => void | Promise<void>) => void updates.push(update),
    text: async (which?: "slis") => {
      const written = sorted, writer = await (writing ??= textWriter(written.map(({ metric }) => metric)));
      if (which === undefined) { for (const update of updates) await update(); }
      const parts: string[] = [];
      for (const { name, sli } of written) {
        if (which === "slis" && !sli) continue;
        const part = await writer.getSingleMetricAsString(name);
        if (part.lastIndexOf("\n") > part.indexOf("\n")) parts.push(part, "\n");
        await turn();
      }
      return parts.join("");
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    get standing() {
      return inForce.map(({ definition, state }) => ({ definition, state }));
    },
  });
}

interface Shown {
  readonly name: string;
  readonly metric: Metric;
  readonly sli: boolean;
}

/** A metric with its state and its values. `shown` is undefined if it is not served. */
interface Entry {
  readonly definition: MetricDefinition;
  readonly state: MetricState | "disabled";
  readonly recording: Recording;
  readonly shown: Shown | undefined;
}

function entryOf(definition: MetricDefinition, options: RegistryOptions): Entry {
  const { name } = definition, state = standingOf(definition, options);
  if (state === "disabled" || state === "hidden" || state === "gone") return { definition, state, recording: unrecorded, shown: undefined };
  const made = recording(definition, options), isDeprecated = state === "deprecated";
  return {
    definition,
    state,
    recording: isDeprecated ? notifyOnce(made, () => options.deprecatedUsed?.(definition)) : made,
    shown: { name, metric: exposed(definition, made, isDeprecated), sli: definition.sli === true },
  };
}

/** The metrics that are served, by name. */
function shownOf(entries: readonly Entry[]): readonly Shown[] {
  return entries.flatMap(({ shown }) => shown ?? []).toSorted((a, b) => a.name < b.name ? -1 : 1);
}

/** Whether two definitions say the same, be they one value or not. */
function isSame(one: MetricDefinition, other: MetricDefinition): boolean {
  return one === other || JSON.stringify(Object.entries(one).toSorted()) === JSON.stringify(Object.entries(other).toSorted());
}

/** The state of a metric. `disabled` takes precedence over `showHidden`, as upstream. */
function standingOf(definition: MetricDefinition, { disabled = [], release, showHidden }: RegistryOptions): MetricState | "disabled" {
  if (disabled.includes(definition.name)) return "disabled";
  if (release === undefined) return definition.deprecatedSince === undefined ? "shown" : "deprecated";
  const state = stateAt(definition, release);
  return state === "hidden" && showHidden === true ? "deprecated" : state;
}

/** Loads prom-client at the first scrape: a server without scrapes saves its memory and start-up time. */
async function textWriter(metrics: readonly Metric[]): Promise<TextRegistry> {
  const { Registry: Writer } = await import("prom-client");
  const writer = new Writer();
  for (const metric of metrics) writer.registerMetric(metric);
  return writer;
}

/** Yields to the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Sample {
  readonly labels: Readonly<Record<string, number | string>>;
  /** Formatted once; prom-client caches the text by the object's identity. */
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName: string;
}
interface Recording {
  with(labels: Readonly<Record<string, string>>): CounterSeries | GaugeSeries | HistogramSeries;
  samples(): readonly Sample[];
  reset(): void;
}

/** The part of a prom-client metric that its registry reads. See `series.ts` for why the numbers are not kept by prom-client. */
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

/** The recorder of a metric that is not served: it discards all values. */
const unrecorded: Recording = Object.freeze({
  with: () => discard,
  reset() {},
  samples: () => [],
});
const discard: CounterSeries & GaugeSeries & HistogramSeries = Object.freeze({ add() {}, set() {}, observe() {} });

/** Wraps a recorder so that `notify` is called at its first use. */
function notifyOnce(made: Recording, notify: () => void): Recording {
  let notified = false;
  return {
    with(labels) {
      if (!notified) notify();
      notified = true;
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
