/** HorizontalPodAutoscalers to `autoscaling/v2`. */
import type { Fields, Taken } from "../fields.ts";
import type { Rule } from "./rule.ts";

/** The fields of a source of metrics in `v2beta1`, and where `v2` has them. */
interface Source {
  readonly metricName?: string;
  readonly selector?: string;
  /** The field that is now `describedObject`. */
  readonly object?: string;
  /** Values by their old names. The first that is set is used, as the old version did. */
  readonly values: Readonly<Record<string, keyof typeof targetTypes>>;
}

const targetTypes = Object.freeze({ averageUtilization: "Utilization", averageValue: "AverageValue", value: "Value" });

/** Returns the sources of metrics, by their types. `prefix`: the beginning of the names of their old values. */
function sourcesOf(prefix: "target" | "current"): Readonly<Record<string, Source>> {
  const value = `${prefix}Value`, averageValue = `${prefix}AverageValue`;
  const resource: Source = { values: { [`${prefix}AverageUtilization`]: "averageUtilization", [averageValue]: "averageValue" } };
  return {
    object: {
      metricName: "metricName",
      selector: "selector",
      object: "target",
      values: { averageValue: "averageValue", [value]: "value" },
    },
    pods: { metricName: "metricName", selector: "selector", values: { [averageValue]: "averageValue" } },
    resource,
    containerResource: resource,
    external: { metricName: "metricName", selector: "metricSelector", values: { [averageValue]: "averageValue", [value]: "value" } },
  };
}

/** The sources of `spec.metrics` and of `status.currentMetrics`. */
const sources = Object.freeze({ target: sourcesOf("target"), current: sourcesOf("current") });

/** `v2beta1` only: the metrics of `v2beta2` have the form of `v2`. */
export const metrics: Rule = (object) => {
  for (const metric of object.fields("spec")?.items("metrics") ?? []) convert(metric, "target");
  for (const metric of object.fields("status")?.items("currentMetrics") ?? []) convert(metric, "current");
};

function convert(metric: Fields, into: "target" | "current"): void {
  for (const [name, source] of Object.entries(sources[into])) {
    const fields = metric.fields(name);
    if (fields !== undefined) convertSource(fields, source, into);
  }
}

function convertSource(fields: Fields, { metricName, selector, object, values }: Source, into: "target" | "current"): void {
  // A null of these names is not known in the new version; `target` is.
  fields.removeNulls(...[metricName, selector, ...Object.keys(values)].filter((name) => name !== undefined));
  const isConverted = metricName === undefined ? fields.has(into) : fields.has("metric");
  if (isConverted) return;
  if (object !== undefined) fields.rename(object, "describedObject");
  if (metricName !== undefined) {
    if (!fields.has(metricName)) fields.choice(metricName, "required");
    const name = fields.take(metricName), chosen = selector === undefined ? undefined : fields.take(selector);
    const identifier = fields.fieldsOrNew("metric");
    identifier.put(name, "name");
    identifier.put(chosen, "selector");
  }
  const set = Object.entries(values).filter(([name]) => fields.has(name));
  if (set.length === 0 && into === "target") fields.choice(Object.keys(values)[0]!, `required: ${Object.keys(values).join(" or ")}`);
  const taken = set.map(([name, to]): readonly [Taken, keyof typeof targetTypes] => [fields.take(name)!, to]);
  if (taken.length === 0) return;
  const target = fields.fieldsOrNew(into);
  // `current` has all values; `target` has the one that counts.
  if (into === "target") target.set("type", targetTypes[taken[0]![1]]);
  for (const [pair, to] of into === "target" ? taken.slice(0, 1) : taken) target.put(pair, to);
}
