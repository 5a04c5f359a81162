/** The values of one metric: recorders for its label sets, and the lines of a scrape. */
import type { AllowedLabels } from "./allowed-labels.ts";
import { type MetricDefinition, type MetricType, seriesMaxDefault } from "./define.ts";
import type { CounterSeries, GaugeSeries, HistogramSeries } from "./recorder.ts";
import { type Series, type SeriesTable, seriesTable } from "./series.ts";
import { labelsText, numberText, sampleText } from "./text.ts";

/** What all metrics of a registry have in common. */
export interface RecordingOptions {
  readonly allowedLabels?: AllowedLabels;
  /** Called for each recording whose label set exceeds `seriesMax` of its metric. */
  readonly overflowed?: (metric: string) => void;
  /** Called for each recording with a label value that is not allowed. */
  readonly refused?: (metric: string) => void;
}

/** The recorder of one metric, of any type, and its values. */
export interface Recording {
  with(labels: Readonly<Record<string, string>>): CounterSeries | GaugeSeries | HistogramSeries;
  /** The lines of its samples in the text format; "" if it has none. */
  text(): string;
  reset(): void;
  /**
   * Counts from zero, and serves a series again from its next recording on. Series obtained before go on. A gauge without labels, or one that counts up
   * and down, keeps its values, which are a state. So does a histogram without labels, as upstream.
   */
  restart(): void;
}

/** The recorder of a metric that is not served: it discards all values. */
export const unrecorded: Recording = Object.freeze({
  with: () => discard,
  reset() {},
  restart() {},
  text: () => "",
});
const discard: CounterSeries & GaugeSeries & HistogramSeries = Object.freeze({ add() {}, set() {}, observe() {} });

/** Wraps a recorder so that `notify` is called at its first use. */
export function notifyOnce(made: Recording, notify: () => void): Recording {
  let notified = false;
  return {
    with(labels) {
      if (!notified) notify();
      notified = true;
      return made.with(labels);
    },
    reset: made.reset,
    restart: made.restart,
    text: made.text,
  };
}

/** Makes the recorder of a metric. */
export function recordingOf(definition: MetricDefinition, options: RecordingOptions): Recording {
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

function numbers(name: string, table: SeriesTable<Count | Level>): Recording {
  return {
    with: table.at,
    reset: table.clear,
    restart: () => restartAll(table),
    text: () => table.all().map(({ labels, cell }) => cell.isSilent ? "" : sampleText(name, labelsText(labels), cell.value)).join(""),
  };
}

function histogram(name: string, buckets: readonly number[], tableOf: (makeCell: () => Buckets) => SeriesTable<Buckets>): Recording {
  const table = tableOf(() => new Buckets(buckets));
  const bounds = [...buckets, Infinity].map((bound) => `le="${numberText(bound)}"`);
  return {
    with: table.at,
    reset: table.clear,
    restart: () => restartAll(table),
    text: () => table.all().map((series) => series.cell.isSilent ? "" : histogramText(name, bounds, series)).join(""),
  };
}

/** A value that can start again. */
interface Restartable {
  /** Whether it is not served, because nothing was recorded since the restart. */
  isSilent: boolean;
  restart(hasLabels: boolean): void;
}

function restartAll(table: SeriesTable<Restartable>): void {
  for (const { labels, cell } of table.all()) cell.restart(Object.keys(labels).length > 0);
}

function histogramText(name: string, bounds: readonly string[], { labels, cell }: Series<Buckets>): string {
  const shared = labelsText(labels), after = shared === "" ? "" : `,${shared}`;
  let below = 0, lines = "";
  for (const [index, bound] of bounds.entries()) {
    below += cell.counts[index]!;
    lines += sampleText(`${name}_bucket`, bound + after, below);
  }
  return lines + sampleText(`${name}_sum`, shared, cell.sum) + sampleText(`${name}_count`, shared, below);
}

class Count implements CounterSeries, Restartable {
  value = 0;
  isSilent = false;
  add(amount = 1): void {
    if (!(amount >= 0 && amount < Infinity)) throw new RangeError(`Cannot add ${amount} to a counter: it only grows`);
    this.value += amount;
    this.isSilent = false;
  }
  restart(hasLabels: boolean): void {
    this.value = 0;
    this.isSilent = hasLabels;
  }
}

class Level implements GaugeSeries, Restartable {
  value = 0;
  isSilent = false;
  /** Whether it counts up and down, so that zero would be wrong. */
  #counts = false;
  set(value: number): void {
    if (Number.isNaN(value)) throw new RangeError("Cannot set a gauge to NaN");
    this.value = value;
    this.isSilent = false;
  }
  add(amount = 1): void {
    this.#counts = true;
    this.set(this.value + amount);
  }
  restart(hasLabels: boolean): void {
    if (!hasLabels || this.#counts) return;
    this.value = 0;
    this.isSilent = true;
  }
}

class Buckets implements HistogramSeries, Restartable {
  readonly #bounds: readonly number[];
  /** A list: typed arrays have a block of memory each, which costs more than the numbers. */
  readonly counts: number[];
  sum = 0;
  isSilent = false;
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
  }
  observe(value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`Cannot observe ${value}`);
    let index = 0;
    while (index < this.#bounds.length && value > this.#bounds[index]!) index++;
    this.counts[index]! += 1;
    this.sum += value;
    this.isSilent = false;
  }
  restart(hasLabels: boolean): void {
    if (!hasLabels) return;
    this.counts.fill(0);
    this.sum = 0;
    this.isSilent = true;
  }
}
