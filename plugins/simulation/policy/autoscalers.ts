/** HorizontalPodAutoscalers: they scale by the numbers that a test sets, because nothing here uses a processor. */

import { reasonOf, splitGroupVersion } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import { timestampOf } from "../world/time.ts";
import type { World } from "../world/world.ts";
import { followAll } from "../workloads/owner-keys.ts";

type Autoscaler = NonNullable<ReturnType<World["autoscalers"]["at"]>>;
interface Condition {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The annotation with the present usage, as percentages of what pods request, such as `cpu=80,memory=40`. */
export const usageAnnotation = "simulation.thole.dev/usage";
/** A difference below this part of the target changes nothing, as in kube-controller-manager. */
const tolerance = 0.1;
/** Milliseconds between two looks at the target, as in kube-controller-manager. A changed annotation is looked at at once. */
const syncMs = bound(15_000);

/** Scales what autoscalers name. */
export const autoscalerReconciler: Reconciler = {
  name: "horizontalpodautoscaler",
  follow(world, add) {
    followAll(world.autoscalers, add);
  },
  async reconcile(world, key) {
    const scaler = world.autoscalers.at(key);
    if (scaler === undefined || scaler.metadata.deletionTimestamp !== undefined) return;
    const { apiVersion = "", kind, name } = scaler.spec.scaleTargetRef, { group, version } = splitGroupVersion(apiVersion);
    const { namespace = "" } = scaler.metadata, { api, types } = world.context;
    const plural = types.resources(version, group).find((each) => each.kind === kind)?.plural ?? "";
    let scale;
    try {
      scale = await api.get(apiVersion, plural, namespace, name, { subresource: "scale" }) as unknown as Scale;
    } catch (error) {
      const message = `the HPA controller was unable to get the target's current scale: ${reasonOf(error)}`;
      return await write(world, scaler, {}, [{ type: "AbleToScale", status: "False", reason: "FailedGetScale", message }]);
    }
    const current = scale.spec?.replicas ?? 0, decision = decide(scaler, current);
    if (decision.desired !== current) {
      await api.patch(apiVersion, plural, namespace, name, { merge: { spec: { replicas: decision.desired } } }, { subresource: "scale" });
      const note = `New size: ${decision.desired}; reason: ${decision.why}`;
      world.context.events.record(scaler, { type: "Normal", reason: "SuccessfulRescale", action: "Rescaling", note });
    }
    const scaled = decision.desired === current ? {} : { lastScaleTime: timestampOf(world.clock.now()) };
    return await write(world, scaler, { ...scaled, currentReplicas: current, desiredReplicas: decision.desired }, decision.conditions);
  },
};

/** The subresource `scale` of a workload. */
interface Scale {
  readonly spec?: { readonly replicas?: number };
}

/** The percentages of an annotation. What is no percentage is left out. */
export function readUsage(text: string | undefined): ReadonlyMap<string, number> {
  const parts = (text ?? "").split(",").map((part) => part.split("=").map((word) => word.trim()));
  return new Map(
    parts.filter(([name, value]) => name !== "" && /^\d{1,6}$/.test(value ?? "")).map(([name = "", value]) => [name, Number(value)]),
  );
}

/** What an autoscaler wants. */
export interface Decision {
  readonly desired: number;
  readonly why: string;
  readonly conditions: readonly Condition[];
}

/** Returns the wanted number: by the metric that wants most, within the smallest and the largest number. */
export function decide({ metadata, spec }: Pick<Autoscaler, "metadata" | "spec">, current: number): Decision {
  const usage = readUsage(metadata.annotations?.[usageAnnotation]), min = spec.minReplicas ?? 1, max = spec.maxReplicas;
  const able: Condition = {
    type: "AbleToScale",
    status: "True",
    reason: "ReadyForNewScale",
    message: "recommended size matches current size",
  };
  if (current === 0 && min > 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    return { desired: 0, why: "", conditions: [able, { type: "ScalingActive", status: "False", reason: "ScalingDisabled", message }] };
  }
  const { wanted, why } = wantedBy(spec.metrics ?? [], usage, current);
  const desired = Math.min(max, Math.max(min, wanted ?? current)), limited = limitOf(wanted ?? current, min, max);
  if (wanted !== undefined) {
    const active: Condition = {
      type: "ScalingActive",
      status: "True",
      reason: "ValidMetricFound",
      message: "the HPA was able to successfully calculate a replica count",
    };
    return { desired, why: desired === wanted ? why : limited.message, conditions: [able, active, limited] };
  }
  const message = `the HPA was unable to compute the replica count: the annotation ${usageAnnotation} has no value of its metrics`;
  return {
    desired,
    why: limited.message,
    conditions: [
      able,
      { type: "ScalingActive", status: "False", reason: "FailedGetResourceMetric", message },
      ...(desired === current ? [] : [limited]),
    ],
  };
}

/** The number that the metric with the highest demand wants; undefined without a usage of any of them. */
function wantedBy(metrics: NonNullable<Autoscaler["spec"]["metrics"]>, usage: ReadonlyMap<string, number>, current: number) {
  let wanted: number | undefined, why = "";
  for (const metric of metrics) {
    const { name, target } = metric.resource ?? metric.containerResource ?? {}, goal = target?.averageUtilization ?? undefined;
    const used = name === undefined ? undefined : usage.get(name);
    if (used === undefined || goal === undefined) continue;
    const ratio = used / goal, proposed = Math.abs(ratio - 1) <= tolerance ? current : Math.ceil(current * ratio);
    if (wanted !== undefined && proposed <= wanted) continue;
    wanted = proposed;
    why = `${name} resource utilization (percentage of request) ${ratio > 1 ? "above" : "below"} target`;
  }
  return { wanted, why };
}

function limitOf(size: number, min: number, max: number): Condition {
  const limited = (status: "True" | "False", reason: string, message: string): Condition => ({
    type: "ScalingLimited",
    status,
    reason,
    message,
  });
  if (size > max) return limited("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count");
  if (size < min) return limited("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count");
  return limited("False", "DesiredWithinRange", "the desired count is within the acceptable range");
}

async function write(
  world: World,
  scaler: Autoscaler,
  next: Partial<Autoscaler["status"]>,
  conditions: readonly Condition[],
): Promise<number> {
  const before = scaler.status.conditions ?? [], now = timestampOf(world.clock.now());
  const made = conditions.map((condition) => {
    const known = before.find(({ type }) => type === condition.type);
    return { ...condition, lastTransitionTime: known?.status === condition.status ? known.lastTransitionTime : now };
  });
  const kept = before.filter(({ type }) => !made.some((each) => each.type === type));
  const status = {
    ...scaler.status,
    desiredReplicas: scaler.status.desiredReplicas ?? 0,
    ...next,
    observedGeneration: scaler.metadata.generation,
    conditions: [...made, ...kept],
  } as Autoscaler["status"];
  if (!sameStatus(status, scaler.status)) await world.autoscalers.updateStatus({ ...scaler, status });
  return syncMs;
}
