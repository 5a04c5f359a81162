/** The rules of deployments, with upstream's texts and order. */
import { type FieldError, forbidden, type HookContext, invalid, notSupported, required } from "../../plugin.ts";
import { isNothing, validateAmount, validateAtMostAll } from "../shared/amounts.ts";
import { notNegative } from "../shared/pod/rules.ts";
import type { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { validateCollisions, validateCounts, validateWithinReplicas } from "../shared/workloads/status-rules.ts";
import { validateSelector } from "../shared/workloads/template-rules.ts";
import type { Deployment, DeploymentStatus, DeploymentStrategy, RollingUpdateDeployment } from "./deployment-schema.ts";
import { validateRollback } from "./rollback.ts";
import { validateSelectedTemplate } from "./template.ts";

/** Checks the spec of a deployment. `prior` is the stored template. */
export function validateDeploymentSpec(
  object: Deployment,
  prior: PodTemplateSpec | undefined,
  context: HookContext,
): readonly FieldError[] {
  const { spec } = object, { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  return [
    ...notNegative(spec.replicas, "spec.replicas"),
    ...validateSelector(spec.selector, "spec.selector", "deployment"),
    ...validateSelectedTemplate(spec, prior, context),
    ...validateStrategy(spec.strategy),
    ...notNegative(minReadySeconds, "spec.minReadySeconds"),
    ...notNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...validateRollback(object),
    ...notNegative(deadline, "spec.progressDeadlineSeconds"),
    ...(deadline !== undefined && deadline <= minReadySeconds
      ? [invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")]
      : []),
  ];
}

const strategies = ["Recreate", "RollingUpdate"];

function validateStrategy({ type, rollingUpdate }: DeploymentStrategy): readonly FieldError[] {
  const at = "spec.strategy.rollingUpdate";
  if (type === "Recreate") {
    return rollingUpdate === undefined ? [] : [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== "RollingUpdate") {
    // The value has the names of upstream's internal type.
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
    const internal = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
    return [notSupported("spec.strategy", { Type: type ?? "", RollingUpdate: internal }, strategies)];
  }
  if (rollingUpdate === undefined) return [required(at, "this should be defaulted and never be nil")];
  return validateRollingUpdate(rollingUpdate, at);
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDeployment, path: string): readonly FieldError[] {
  return [
    ...validateAmount(maxUnavailable, `${path}.maxUnavailable`),
    ...validateAmount(maxSurge, `${path}.maxSurge`),
    ...(isNothing(maxUnavailable) && isNothing(maxSurge)
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

const counts = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
];

export function validateDeploymentStatus(next: DeploymentStatus, prior: DeploymentStatus): readonly FieldError[] {
  return [
    ...validateCounts(next, counts),
    ...validateWithinReplicas(next, ["updatedReplicas", "readyReplicas", "availableReplicas"]),
    ...validateCollisions(next, prior),
  ];
}
