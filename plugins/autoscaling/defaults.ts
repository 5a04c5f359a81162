/** Defaults of version 2, and the annotations by which version 1 carries what it has no fields for. */

const prefix = "autoscaling.alpha.kubernetes.io/";
export const carried = {
  metrics: `${prefix}metrics`,
  behavior: `${prefix}behavior`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
} as const;
/** These two have never been written, and are dropped as well. */
const dropped: readonly string[] = [...Object.values(carried), `${prefix}scale-down-tolerance`, `${prefix}scale-up-tolerance`];

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The object without the annotations of version 1. */
export function withoutCarried<T extends Annotated>(object: T): T {
  const { annotations } = object.metadata;
  if (annotations === undefined || !dropped.some((key) => Object.hasOwn(annotations, key))) return object;
  const kept = Object.entries(annotations).filter(([key]) => !dropped.includes(key));
  const { annotations: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) } };
}

export const defaultUtilization = 80;
export const defaultMetrics = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: defaultUtilization } } },
];

interface Rules {
  readonly stabilizationWindowSeconds?: number | null;
  readonly selectPolicy?: string | null;
  readonly policies?: readonly unknown[] | null;
}
interface Behavior {
  readonly scaleUp?: Rules | null;
  readonly scaleDown?: Rules | null;
}
const percent = { type: "Percent", value: 100, periodSeconds: 15 };
const upwards: Rules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, percent],
};
// The window of scaling down is a setting of the controller.
const downwards: Rules = { selectPolicy: "Max", policies: [percent] };

/** Fills in both directions as soon as there is a behavior. An empty list of policies stays, and is rejected. */
export function behaviorDefaults(behavior: Behavior): Behavior {
  const scaleUp = filled(behavior.scaleUp, upwards), scaleDown = filled(behavior.scaleDown, downwards);
  return scaleUp === behavior.scaleUp && scaleDown === behavior.scaleDown ? behavior : { ...behavior, scaleUp, scaleDown };
}

function filled(rules: Rules | null | undefined, defaults: Rules): Rules {
  if (rules === undefined || rules === null) return defaults;
  const isComplete = Object.keys(defaults).every((key) => (rules[key as keyof Rules] ?? null) !== null); // keys of Rules
  if (isComplete) return rules;
  return { ...rules, ...Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, rules[key as keyof Rules] ?? value])) };
}
