/** What a metric is: a frozen value, declared once in a room's `metrics.ts` table. */

export type MetricType = "counter" | "gauge" | "histogram";
/** How much a metric may still change; told at the head of its help text. */
export type MetricStability = "ALPHA" | "BETA" | "STABLE";

export interface MetricDefinition<Type extends MetricType = MetricType, Label extends string = string> {
  /** With its unit, last: `_seconds`, `_bytes`, `_total`. */
  readonly name: string;
  readonly type: Type;
  /** One sentence. */
  readonly help: string;
  readonly labels: readonly Label[];
  readonly stability: MetricStability;
  /** Upper bounds of a histogram's buckets, ascending, without infinity. */
  readonly buckets?: readonly number[];
  /** The release from which on nobody should build on it: `"1.34.0"`. What follows from that stands in `lifecycle.ts`. */
  readonly deprecatedSince?: string;
  /** Shown at /metrics/slis as well: what tells whether the server is well. */
  readonly sli?: true;
  /** Not shown before it is recorded, also without labels: not every machine can tell it. */
  readonly sparse?: true;
  /** Label sets that are told apart; what comes later shares one series. Default `seriesMaxDefault`. */
  readonly seriesMax?: number;
}

/** Label sets of one metric that are told apart unless its definition says otherwise. */
export const seriesMaxDefault = 10_000;

/**
 * A checked and frozen definition. Throws one error that lists everything that is wrong with it: a name or label that
 * Prometheus refuses, a repeated or reserved label, buckets that are missing, not ascending, or on something that has none, a
 * release that is none.
 */
export function defineMetric<Type extends MetricType, const Label extends string = never>(
  definition: MetricDefinition<Type, Label>,
): MetricDefinition<Type, Label> {
  const mistakes = mistakesOf(definition);
  if (mistakes.length > 0) throw new Error(`Cannot define metric "${definition.name}": ${mistakes.join("; ")}`);
  return Object.freeze({
    ...definition,
    labels: Object.freeze([...definition.labels]),
    ...(definition.buckets === undefined ? {} : { buckets: Object.freeze([...definition.buckets]) }),
  });
}

function mistakesOf({ name, type, help, labels, buckets, seriesMax, deprecatedSince }: MetricDefinition): readonly string[] {
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
  if (seriesMax !== undefined && !(Number.isInteger(seriesMax) && seriesMax > 0)) mistakes.push("seriesMax must be a positive integer");
  if (deprecatedSince !== undefined && !/^\d+\.\d+\.\d+$/.test(deprecatedSince)) {
    mistakes.push(`deprecatedSince ${JSON.stringify(deprecatedSince)} must be a release such as "1.34.0"`);
  }
  return mistakes;
}
