/** Rules of autoscalers, with upstream's order and texts (pkg/apis/autoscaling/validation). */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../plugin.ts";
import { compareQuantities, dns1123Label, type Names, pathSegmentName } from "../../toolbox.ts";
import { containerResourceName } from "../shared/resource-names.ts";
import { notNegative } from "../shared/pod/rules.ts";
import { periodSecondsMax, windowSecondsMax } from "./bounds.ts";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from "./schema.ts";

/** Which groups and versions a reference may have: of any text, without a group, or with one. */
export type VersionRule = "any" | "optional group" | "group";
export interface SpecOptions {
  readonly names: Names;
  readonly minReplicas: 0 | 1;
  readonly target: VersionRule;
  readonly described: VersionRule;
}

export function validateSpec(spec: HorizontalPodAutoscalerSpec, options: SpecOptions): readonly FieldError[] {
  const { minReplicas, maxReplicas, behavior } = spec;
  return [
    ...(minReplicas !== undefined && minReplicas < options.minReplicas
      ? [invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${options.minReplicas}`)]
      : []),
    ...(maxReplicas === 0 ? [required("spec.maxReplicas", "must be set and greater than 0")] : []),
    ...(maxReplicas < 0 ? [invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1")] : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")]
      : []),
    ...validateReference(spec.scaleTargetRef, options.target, "spec.scaleTargetRef"),
    ...validateMetrics(spec, options),
    ...validateScaling(behavior?.scaleUp, "spec.behavior.scaleUp"),
    ...validateScaling(behavior?.scaleDown, "spec.behavior.scaleDown"),
  ];
}

export function validateStatus(status: HorizontalPodAutoscalerStatus): readonly FieldError[] {
  return [
    ...notNegative(status.currentReplicas, "status.currentReplicas"),
    ...notNegative(status.desiredReplicas, "status.desiredReplicas"),
  ];
}

function segment(text: string, path: string, detail = ""): readonly FieldError[] {
  return text === "" ? [required(path, detail)] : pathSegmentName(text, false).map((wrong) => invalid(path, text, wrong));
}

function validateReference({ kind, name, apiVersion = "" }: CrossVersionObjectReference, rule: VersionRule, path: string) {
  const wrong = versionError(apiVersion, rule);
  return [
    ...segment(kind, `${path}.kind`),
    ...segment(name, `${path}.name`),
    ...(wrong === undefined ? [] : [invalid(`${path}.apiVersion`, apiVersion, wrong)]),
  ];
}

/** What is wrong with the group and version of a reference. */
export function versionError(apiVersion: string, rule: VersionRule): string | undefined {
  if (rule === "any") return undefined;
  const slash = apiVersion.indexOf("/");
  if (apiVersion !== "/" && slash !== apiVersion.lastIndexOf("/")) return `unexpected GroupVersion string: ${apiVersion}`;
  return rule === "optional group" || slash > 0 ? undefined : "apiVersion must specify API group";
}

function validateMetrics({ metrics = [], minReplicas }: HorizontalPodAutoscalerSpec, options: SpecOptions): readonly FieldError[] {
  const hasOther = metrics.some(({ type }) => type === "Object" || type === "External");
  return [
    ...metrics.flatMap((metric, i) => validateMetric(metric, options, `spec.metrics[${i}]`)),
    ...(minReplicas === 0 && !hasOther
      ? [forbidden("spec.metrics", "must specify at least one Object or External metric to support scaling to zero replicas")]
      : []),
  ];
}

/** The member of each type of source, in the order in which errors list the types. */
const members = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
} as const;
type Member = (typeof members)[keyof typeof members];
/** The order in which sources are looked at. */
const lookedAt: readonly Member[] = ["object", "external", "pods", "resource", "containerResource"];

/** Checks a metric: one source, that of its type. Only the first source is looked into. */
function validateMetric(metric: MetricSpec, options: SpecOptions, path: string): readonly FieldError[] {
  const { type } = metric, present = lookedAt.filter((member) => metric[member] !== undefined);
  const expected = Object.hasOwn(members, type) ? members[type as keyof typeof members] : undefined; // it is one of them
  const unknown = () => notSupported(`${path}.type`, type, Object.keys(members));
  return [
    ...(type === "" ? [required(`${path}.type`, "must specify a metric source type")] : []),
    ...(expected === undefined ? [unknown()] : []),
    ...(present[0] === undefined ? [] : validateSource(metric, present[0], options, `${path}.${present[0]}`)),
    ...(expected === undefined ? [unknown()] : []),
    ...(expected !== undefined && metric[expected] === undefined
      ? [required(`${path}.${expected}`, "must populate information for the given metric source")]
      : []),
    ...(present.length === 1
      ? []
      : present.filter((member) => member !== expected).map((member) =>
        forbidden(`${path}.${member}`, "must populate the given metric source only")
      )),
  ];
}

function validateSource(metric: MetricSpec, member: Member, { names, described }: SpecOptions, path: string): readonly FieldError[] {
  const { object, external, pods, resource, containerResource } = metric, at = `${path}.target`;
  if (member === "object" && object !== undefined) {
    return [
      ...validateReference(object.describedObject, described, `${path}.describedObject`),
      ...validateIdentified(object.metric, object.target, path),
      ...requireValue(object.target, at, "must set either a target value or averageValue"),
    ];
  }
  if (member === "external" && external !== undefined) {
    const { value, averageValue } = external.target;
    return [
      ...validateIdentified(external.metric, external.target, path),
      ...requireValue(external.target, at, "must set either a target value for metric or a per-pod target"),
      ...(value === undefined || averageValue === undefined
        ? []
        : [forbidden(`${at}.value`, "may not set both a target value for metric and a per-pod target")]),
    ];
  }
  if (member === "pods" && pods !== undefined) {
    return [
      ...validateIdentified(pods.metric, pods.target, path),
      ...(pods.target.averageValue === undefined ? [required(`${at}.averageValue`, "must specify a positive target averageValue")] : []),
    ];
  }
  if (containerResource !== undefined && member === "containerResource") {
    const { name, container, target } = containerResource;
    return [
      ...(name === "" ? [required(`${path}.name`, "must specify a resource name")] : containerResourceName(name, `${path}.name`, names)),
      ...(container === ""
        ? [required(`${path}.container`, "must specify a container")]
        : dns1123Label(container).map((wrong) => invalid(`${path}.container`, container, wrong))),
      ...validateUse(target, at),
    ];
  }
  return resource === undefined ? [] : [
    ...(resource.name === "" ? [required(`${path}.name`, "must specify a resource name")] : []),
    ...validateUse(resource.target, at),
  ];
}

function validateIdentified({ name }: MetricIdentifier, target: MetricTarget, path: string): readonly FieldError[] {
  return [...segment(name, `${path}.metric.name`, "must specify a metric name"), ...validateTarget(target, `${path}.target`)];
}

function requireValue({ value, averageValue }: MetricTarget, path: string, text: string): readonly FieldError[] {
  return value === undefined && averageValue === undefined ? [required(`${path}.averageValue`, text)] : [];
}

/** Checks the target of a resource. */
function validateUse(target: MetricTarget, path: string): readonly FieldError[] {
  const { averageUtilization, averageValue } = target;
  return [
    ...validateTarget(target, path),
    ...(averageUtilization === undefined && averageValue === undefined
      ? [required(`${path}.averageUtilization`, "must set either a target raw value or a target utilization")]
      : []),
    ...(averageUtilization !== undefined && averageValue !== undefined
      ? [forbidden(`${path}.averageValue`, "may not set both a target raw value and a target utilization")]
      : []),
  ];
}

function validateTarget({ type, value, averageValue, averageUtilization }: MetricTarget, path: string): readonly FieldError[] {
  const positive = (amount: string | undefined, at: string) =>
    amount === undefined || compareQuantities(amount, "0") > 0 ? [] : [invalid(at, amount, "must be positive")];
  return [
    ...(type === "" ? [required(`${path}.type`, "must specify a metric target type")] : []),
    ...(["Utilization", "Value", "AverageValue"].includes(type)
      ? []
      : [{ ...invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue"), quoted: "json" as const }]),
    ...positive(value, `${path}.value`),
    ...positive(averageValue, `${path}.averageValue`),
    ...(averageUtilization === undefined || averageUtilization >= 1
      ? []
      : [invalid(`${path}.averageUtilization`, averageUtilization, "must be greater than 0")]),
  ];
}

function validateScaling(rules: HPAScalingRules | undefined, path: string): readonly FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const at = `${path}.stabilizationWindowSeconds`;
  return [
    ...(window < 0 ? [invalid(at, window, "must be greater than or equal to zero")] : []),
    ...(window > windowSecondsMax ? [invalid(at, window, `must be less than or equal to ${windowSecondsMax}`)] : []),
    ...(selectPolicy === undefined || ["Disabled", "Max", "Min"].includes(selectPolicy)
      ? []
      : [notSupported(`${path}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"])]),
    ...(policies.length === 0 ? [required(`${path}.policies`, "must specify at least one Policy")] : []),
    ...policies.flatMap(({ type, value, periodSeconds }, i) => {
      const each = `${path}.policies[${i}]`;
      return [
        ...(["Percent", "Pods"].includes(type) ? [] : [notSupported(`${each}.type`, type, ["Percent", "Pods"])]),
        ...(value > 0 ? [] : [invalid(`${each}.value`, value, "must be greater than zero")]),
        ...(periodSeconds > 0 ? [] : [invalid(`${each}.periodSeconds`, periodSeconds, "must be greater than zero")]),
        ...(periodSeconds > periodSecondsMax
          ? [invalid(`${each}.periodSeconds`, periodSeconds, `must be less than or equal to ${periodSecondsMax}`)]
          : []),
      ];
    }),
    ...(tolerance === undefined || compareQuantities(tolerance, "0") >= 0
      ? []
      : [invalid(`${path}.tolerance`, tolerance, "must be greater than or equal to 0")]),
  ];
}
