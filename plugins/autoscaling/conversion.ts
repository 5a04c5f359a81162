/** Conversion between version 1 and version 2, which is the stored one, as upstream does it (pkg/apis/autoscaling/v1/conversion.go). */
import { goJson } from "../../core/tree/json-text.ts";
import type { Json } from "../../core/json.ts";
import type { LabelSelector } from "../../plugin.ts";
import { compareQuantities } from "../../toolbox.ts";
import { type CarriedMetric, type CarriedMetricStatus, type CarriedRules, readCarried } from "./carried.ts";
import { carried, defaultMetrics, withoutCarried } from "./defaults.ts";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
} from "./schema.ts";
import type { HorizontalPodAutoscalerV1 } from "./version-1.ts";

/** A copy without the members that are undefined. */
function present<T extends object>(object: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T; // only undefined members are left out
}

const identifier = (name: string, selector: LabelSelector | undefined): MetricIdentifier => present({ name, selector });
const utilizationOrValue = (averageUtilization: number | undefined, averageValue: string | undefined) =>
  present({ type: averageUtilization === undefined ? "AverageValue" : "Utilization", averageValue, averageUtilization }) as {
    readonly type: string;
  };

/** A metric of an annotation in version 2. */
function metricOf({ type, object, pods, resource, containerResource, external }: CarriedMetric): MetricSpec {
  const isZero = object !== undefined && compareQuantities(object.targetValue, "0") === 0;
  return present({
    type,
    object: object && {
      describedObject: object.target,
      target: object.averageValue === undefined
        ? { type: "Value", value: object.targetValue }
        : { type: "AverageValue", ...(isZero ? {} : { value: object.targetValue }), averageValue: object.averageValue },
      metric: identifier(object.metricName, object.selector),
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      target: { type: "AverageValue", averageValue: pods.targetAverageValue },
    },
    resource: resource && {
      name: resource.name,
      target: utilizationOrValue(resource.targetAverageUtilization, resource.targetAverageValue),
    },
    containerResource: containerResource && {
      name: containerResource.name,
      target: utilizationOrValue(containerResource.targetAverageUtilization, containerResource.targetAverageValue),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      target: present({
        type: external.targetValue === undefined ? "AverageValue" : "Value",
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }) as { readonly type: string },
    },
  });
}

/** The value of a metric of an annotation in version 2. */
function statusOf({ type, object, pods, resource, containerResource, external }: CarriedMetricStatus): MetricStatus {
  const used = (averageValue: string, averageUtilization: number | undefined) => present({ averageValue, averageUtilization });
  return present({
    type,
    object: object && {
      metric: identifier(object.metricName, object.selector),
      current: present({ value: object.currentValue, averageValue: object.averageValue }),
      describedObject: object.target,
    },
    pods: pods && { metric: identifier(pods.metricName, pods.selector), current: { averageValue: pods.currentAverageValue } },
    resource: resource && {
      name: resource.name,
      current: used(resource.currentAverageValue, resource.currentAverageUtilization),
    },
    containerResource: containerResource && {
      name: containerResource.name,
      current: used(containerResource.currentAverageValue, containerResource.currentAverageUtilization),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      current: present({ value: external.currentValue, averageValue: external.currentAverageValue }),
    },
  }) as MetricStatus; // `type` is set
}

/** Rules of an annotation. Those without policies get an empty list, which stays and is rejected: upstream fills them in after validation. */
function rulesOf(rules: CarriedRules | undefined): HPAScalingRules | undefined {
  if (rules === undefined) return undefined;
  return present({
    stabilizationWindowSeconds: rules.StabilizationWindowSeconds,
    selectPolicy: rules.SelectPolicy,
    policies: (rules.Policies ?? []).map(({ Type, Value, PeriodSeconds }) => ({ type: Type, value: Value, periodSeconds: PeriodSeconds })),
    tolerance: rules.Tolerance,
  }) as HPAScalingRules; // only undefined members are left out
}

export function toStored(served: HorizontalPodAutoscalerV1): HorizontalPodAutoscaler {
  const { targetCPUUtilizationPercentage: wanted, ...spec } = served.spec,
    { currentCPUUtilizationPercentage: used, ...status } = served.status;
  const annotations = served.metadata.annotations ?? {};
  const read = <K extends keyof typeof carried>(key: K) =>
    readCarried(key, Object.hasOwn(annotations, carried[key]) ? annotations[carried[key]] : undefined);
  const ofCpu = wanted === undefined
    ? []
    : [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: wanted } } }];
  const metrics = [...(read("metrics") ?? []).map(metricOf), ...ofCpu];
  const { ScaleUp, ScaleDown } = read("behavior") ?? {};
  const currentMetrics = read("currentMetrics")?.map(statusOf) ??
    (used === undefined ? [] : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: used } } }]);
  const conditions = read("conditions") ?? [];
  return withoutCarried({
    ...served,
    spec: {
      ...spec,
      metrics: metrics.length === 0 ? defaultMetrics : metrics,
      ...(ScaleUp === undefined && ScaleDown === undefined
        ? {}
        : { behavior: present({ scaleUp: rulesOf(ScaleUp), scaleDown: rulesOf(ScaleDown) }) }),
    },
    status: {
      ...status,
      currentMetrics: currentMetrics.length === 0 ? (null as unknown as readonly MetricStatus[]) : currentMetrics, // as an absent list
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  } as HorizontalPodAutoscaler); // `kind` and `apiVersion` follow
}

const isCpu = ({ type, resource }: { readonly type: string; readonly resource?: { readonly name: string } }) =>
  type === "Resource" && resource?.name === "cpu";

/** As Go writes it: with the keys of maps in their order. */
function selectorJson(selector: LabelSelector | undefined): Json | undefined {
  if (selector === undefined) return undefined;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(matchLabels === undefined || Object.keys(matchLabels).length === 0
      ? {}
      : { matchLabels: Object.fromEntries(Object.keys(matchLabels).sort().map((key) => [key, matchLabels[key]!])) }),
    ...(matchExpressions === undefined || matchExpressions.length === 0 ? {} : {
      matchExpressions: matchExpressions.map(({ key, operator, values = [] }) => ({
        key,
        operator,
        ...(values.length === 0 ? {} : { values }),
      })),
    }),
  };
}
const referenceJson = ({ kind, name, apiVersion = "" }: CrossVersionObjectReference): Json => ({
  kind,
  name,
  ...(apiVersion === "" ? {} : { apiVersion }),
});

/** Members that are undefined are left out of the text. */
type Members = Readonly<Record<string, Json | undefined>>;
function textOf(value: Members | readonly Members[]): string {
  return goJson(value as Json); // undefined members are left out
}

function metricJson({ type, object, pods, resource, containerResource, external }: MetricSpec): Members {
  return {
    type,
    object: object && {
      target: referenceJson(object.describedObject),
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      selector: selectorJson(object.metric.selector),
      averageValue: object.target.averageValue,
    } as Json, // undefined members are left out
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      selector: selectorJson(pods.metric.selector),
    } as Json,
    resource: resource && {
      name: resource.name,
      targetAverageUtilization: resource.target.averageUtilization,
      targetAverageValue: resource.target.averageValue,
    } as Json,
    containerResource: containerResource && {
      name: containerResource.name,
      targetAverageUtilization: containerResource.target.averageUtilization,
      targetAverageValue: containerResource.target.averageValue,
      container: containerResource.container,
    } as Json,
    external: external && {
      metricName: external.metric.name,
      metricSelector: selectorJson(external.metric.selector),
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    } as Json,
  };
}

function statusJson({ type, object, pods, resource, containerResource, external }: MetricStatus): Members {
  return {
    type,
    object: object && {
      target: referenceJson(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      selector: selectorJson(object.metric.selector),
      averageValue: object.current.averageValue,
    } as Json,
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      selector: selectorJson(pods.metric.selector),
    } as Json,
    resource: resource && {
      name: resource.name,
      currentAverageUtilization: resource.current.averageUtilization,
      currentAverageValue: resource.current.averageValue ?? "0",
    } as Json,
    containerResource: containerResource && {
      name: containerResource.name,
      currentAverageUtilization: containerResource.current.averageUtilization,
      currentAverageValue: containerResource.current.averageValue ?? "0",
      container: containerResource.container,
    } as Json,
    external: external && {
      metricName: external.metric.name,
      metricSelector: selectorJson(external.metric.selector),
      currentValue: external.current.value ?? "0",
      currentAverageValue: external.current.averageValue,
    } as Json,
  };
}

function rulesJson(rules: HPAScalingRules | undefined): Json {
  if (rules === undefined) return null;
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies = [], tolerance = null } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds,
    SelectPolicy: selectPolicy,
    Policies: policies.length === 0
      ? null
      : policies.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })),
    Tolerance: tolerance,
  };
}

function conditionJson({ type, status, lastTransitionTime, reason = "", message = "" }: HorizontalPodAutoscalerCondition): Members {
  return {
    type,
    status,
    lastTransitionTime: lastTransitionTime ?? null,
    reason: reason === "" ? undefined : reason,
    message: message === "" ? undefined : message,
  };
}

export function fromStored(stored: HorizontalPodAutoscaler): HorizontalPodAutoscalerV1 {
  const { metadata, spec: { metrics = [], behavior, ...spec }, status: { currentMetrics, conditions = [], ...status } } = withoutCarried(
    stored,
  );
  const isWanted = (metric: MetricSpec) => isCpu(metric) && metric.resource?.target.averageUtilization !== undefined;
  const wanted = metrics.find(isWanted)?.resource?.target.averageUtilization, others = metrics.filter((each) => !isWanted(each));
  const used = (currentMetrics ?? []).filter(isCpu).flatMap(({ resource }) => resource?.current.averageUtilization ?? []).at(-1);
  const added = {
    ...(others.length === 0 ? {} : { [carried.metrics]: textOf(others.map(metricJson)) }),
    ...((currentMetrics ?? []).length === 0 ? {} : { [carried.currentMetrics]: textOf(currentMetrics.map(statusJson)) }),
    ...(behavior === undefined
      ? {}
      : { [carried.behavior]: textOf({ ScaleUp: rulesJson(behavior.scaleUp), ScaleDown: rulesJson(behavior.scaleDown) }) }),
    ...(conditions.length === 0 ? {} : { [carried.conditions]: textOf(conditions.map(conditionJson)) }),
  };
  return {
    ...stored,
    metadata: Object.keys(added).length === 0 ? metadata : { ...metadata, annotations: { ...metadata.annotations, ...added } },
    spec: { ...spec, ...(wanted === undefined ? {} : { targetCPUUtilizationPercentage: wanted }) },
    status: {
      ...status,
      currentReplicas: status.currentReplicas ?? 0,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  };
}
