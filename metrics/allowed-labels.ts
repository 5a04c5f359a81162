/** `--allow-metric-labels`: the allowed values of a metric's label. Every other value is recorded as `unexpected`. */

/** Allowed values by metric name, then by label. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Upstream's error for a value of the flag that does not parse. */
export const allowedLabelsMistake =
  "--allow-metric-labels must have a list of kv pair with format `metricName,labelName=labelValue, labelValue,...`";

/** Parses pairs of `metric,label` and `value,value,...`. Spaces around values are ignored. Undefined if a key has another form. */
export function parseAllowedLabels(pairs: Iterable<readonly [string, string]>): AllowedLabels | undefined {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of pairs) {
    const [, metric, label] = /^([a-zA-Z_:][a-zA-Z0-9_:]*),([a-zA-Z_][a-zA-Z0-9_]*)$/.exec(key) ?? [];
    if (metric === undefined || label === undefined) return undefined;
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    labels.set(label, new Set(values.split(",").map((value) => value.trim())));
    allowed.set(metric, labels);
  }
  return allowed;
}
