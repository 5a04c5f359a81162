/** Metric definitions: frozen values, each declared once in the `metrics.ts` table of a folder. */
import { earlyDeprecation } from "./lifecycle.ts";
import type { MetricStability } from "./stability.ts";

export type { MetricStability };

/** How a metric counts. */
export type MetricType = "counter" | "gauge" | "histogram";

/** How the values of the workers of one server are combined: added, the greatest, the least, or each with the label `worker`. */
export type Combination = "sum" | "max" | "min" | "each";

/** Definition of a metric: name, type, help, labels and stability. */
export interface MetricDefinition<Type extends MetricType = MetricType, Label extends string = string> {
  /** Ends with the unit: `_seconds`, `_bytes`, `_total`. */
  readonly name: string;
  /** `counter`, `gauge` or `histogram`. */
  readonly type: Type;
  /** One sentence. */
  readonly help: string;
  /** The names of its labels; an empty list for a metric without labels. */
  readonly labels: readonly Label[];
  /** Which changes later releases may make; see docs/metrics.md. */
  readonly stability: MetricStability;
  /** Upper bounds of a histogram's buckets in the metric's unit, ascending, without infinity. */
  readonly buckets?: readonly number[];
  /** The release that introduced the metric: `"1.30.0"`. Needed with `deprecatedSince` only, for the check that it was served long enough. */
  readonly introducedIn?: string;
  /** The release that deprecates the metric: `"1.34.0"`. See `lifecycle.ts` for its effect. */
  readonly deprecatedSince?: string;
  /** A service level indicator: served at /metrics/slis too. */
  readonly sli?: true;
  /** Not served before its first recording, even without labels. For values that not every machine has. */
  readonly sparse?: true;
  /** How a gauge of several workers is combined. Default: sum, which suits amounts; a state that all workers share needs another one. */
  readonly combined?: Combination;
  /** Maximum number of label sets. Further ones share one series. Default `seriesMaxDefault`. */
  readonly seriesMax?: number;
}

/** Default maximum number of label sets of one metric. */
export const seriesMaxDefault = 10_000;

/**
 * Checks and freezes a definition.
 *
 * @throws Error that lists every mistake: a name or label that Prometheus rejects, a repeated or reserved label, buckets that are
 *   missing, not ascending or on a counter or gauge, an invalid release or `seriesMax`
 */
export function defineMetric<Type extends MetricType, const Label extends string = never>(
  definition: MetricDefinition<Type, Label>,
): MetricDefinition<Type, Label> {
  const mistakes = metricMistakes(definition);
  if (mistakes.length > 0) throw new Error(`Cannot define metric "${definition.name}": ${mistakes.join("; ")}`);
  return Object.freeze({
    ...definition,
    labels: Object.freeze([...definition.labels]),
    ...(definition.buckets === undefined ? {} : { buckets: Object.freeze([...definition.buckets]) }),
  });
}

/** The names of a metric's lines in the text format: those of a histogram have suffixes. Two metrics must not share one. */
export function lineNames({ name, type }: Pick<MetricDefinition, "name" | "type">): readonly string[] {
  return type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

/** Every mistake in a definition; empty for a valid one. */
export function metricMistakes(
  { name, type, help, labels, stability, buckets, seriesMax, introducedIn, deprecatedSince, combined }: MetricDefinition,
): readonly string[] {
  const mistakes: string[] = [];
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) mistakes.push("the name must be letters, digits, underscores and colons");
  if (help === "") mistakes.push("help must not be empty");
  for (const [index, label] of labels.entries()) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label)) mistakes.push(`label "${label}" must be letters, digits and underscores`);
    if (label === "le" || label.startsWith("__")) mistakes.push(`label "${label}" is reserved`);
    if (labels.indexOf(label) < index) mistakes.push(`label "${label}" is repeated`);
  }
  if (type === "histogram" && (buckets === undefined || buckets.length === 0)) mistakes.push("a histogram needs buckets");
  if (type !== "histogram" && buckets !== undefined) mistakes.push(`a ${type} has no buckets`);
  if (buckets?.some((bound, index) => !Number.isFinite(bound) || (index > 0 && bound <= buckets[index - 1]!))) {
    mistakes.push("buckets must be finite and ascending");
  }
  if (combined !== undefined && type !== "gauge") mistakes.push(`a ${type} is always summed`);
  if (combined === "each" && labels.includes("worker")) mistakes.push('label "worker" is reserved for the values of each worker');
  if (seriesMax !== undefined && !(Number.isInteger(seriesMax) && seriesMax > 0)) mistakes.push("seriesMax must be a positive integer");
  for (const [key, release] of Object.entries({ introducedIn, deprecatedSince })) {
    if (release !== undefined && !/^\d+\.\d+\.\d+$/.test(release)) {
      mistakes.push(`${key} ${JSON.stringify(release)} must be a release such as "1.34.0"`);
    }
  }
  const early = introducedIn === undefined || deprecatedSince === undefined
    ? undefined
    : earlyDeprecation({ stability, introducedIn, deprecatedSince });
  if (early !== undefined) mistakes.push(early);
  return mistakes;
}
