/**
 * Combines the metrics of the processes of one server. It works on the text of each metric: the processes run one program, so that equal
 * series have equal text.
 */
import type { Combination, MetricType } from "./define.ts";
import { numberText } from "./text.ts";

/** One metric in Prometheus' text format: its lines of help and type, then its samples. */
export interface MetricPart {
  readonly name: string;
  readonly type: MetricType;
  readonly combined: Combination;
  readonly text: string;
}

/** The metrics of one process; `worker` is the value of the label for metrics that are not combined. */
export interface PartsOf {
  readonly worker: string;
  readonly parts: readonly MetricPart[];
}

/** The combined metrics, sorted by name. Series keep the order in which they are first seen. */
export function combineParts(sources: readonly PartsOf[]): readonly MetricPart[] {
  const byName = new Map<string, { readonly first: MetricPart; readonly all: { readonly worker: string; readonly text: string }[] }>();
  for (const { worker, parts } of sources) {
    for (const part of parts) {
      const found = byName.get(part.name) ?? { first: part, all: [] };
      found.all.push({ worker, text: part.text });
      byName.set(part.name, found);
    }
  }
  return [...byName.values()].map(({ first, all }) => ({ ...first, text: combinedText(first.combined, all) }))
    .toSorted((one, other) => one.name < other.name ? -1 : 1);
}

/** Counters and histograms: what a process that has ended counted must stay in the sum, which would fall otherwise. */
export function cumulativeParts(parts: readonly MetricPart[]): readonly MetricPart[] {
  return parts.filter(({ type }) => type !== "gauge");
}

/** The sum of the samples of one metric that is no histogram; 0 if it is not among the parts. */
export function sampleSum(parts: readonly MetricPart[], metric: string): number {
  let sum = 0;
  for (const { name, text } of parts) {
    if (name === metric) { for (const [, value] of samples(text)) sum += value; }
  }
  return sum;
}

const fold: Readonly<Record<Exclude<Combination, "each">, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
};

function combinedText(how: Combination, all: readonly { readonly worker: string; readonly text: string }[]): string {
  const values = new Map<string, number>();
  for (const { worker, text } of all) {
    for (const [series, value] of samples(text)) {
      const key = how === "each" ? withWorker(series, worker) : series, before = values.get(key);
      values.set(key, before === undefined || how === "each" ? value : fold[how](before, value));
    }
  }
  const head = all[0]!.text.split("\n").filter((line) => line.startsWith("#"));
  return [...head, ...[...values].map(([series, value]) => `${series} ${numberText(value)}`), ""].join("\n");
}

/** Name and labels of each sample as text, and its value. */
function* samples(text: string): Generator<readonly [series: string, value: number]> {
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const space = line.lastIndexOf(" ");
    yield [line.slice(0, space), valueOf(line.slice(space + 1))];
  }
}

function withWorker(series: string, worker: string): string {
  const brace = series.indexOf("{");
  return brace < 0 ? `${series}{worker="${worker}"}` : `${series.slice(0, brace)}{worker="${worker}",${series.slice(brace + 1)}`;
}

const special: ReadonlyMap<string, number> = new Map([["+Inf", Infinity], ["-Inf", -Infinity], ["NaN", NaN]]);

function valueOf(text: string): number {
  return special.get(text) ?? Number(text);
}
