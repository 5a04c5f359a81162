/** The status of a deployment. */
import { timestampOf } from "../../world/time.ts";
import type { World } from "../../world/world.ts";
import { replicasOf, statusSum, unavailableMaxOf } from "./sizes.ts";
import type { Deployment, ReplicaSet } from "./types.ts";

type Status = Deployment["status"];
type Condition = NonNullable<Status["conditions"]>[number];

/** A deadline of so many seconds means none. */
const noDeadline = 2 ** 31 - 1;

/** The status for these replica sets. `present`: the one of the present template. */
export function statusOf(world: World, deployment: Deployment, all: readonly ReplicaSet[], present: ReplicaSet | undefined): Status {
  const { context, clock } = world, replicas = statusSum(all, "replicas"), available = statusSum(all, "availableReplicas");
  const next = {
    observedGeneration: deployment.metadata.generation,
    replicas,
    updatedReplicas: present?.status.replicas ?? 0,
    readyReplicas: statusSum(all, "readyReplicas"),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, Math.max(replicas, replicasOf(deployment)) - available),
    ...(context.gates("DeploymentReplicaSetTerminatingReplicas") ? { terminatingReplicas: statusSum(all, "terminatingReplicas") } : {}),
    ...(deployment.status.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
  } as Status;
  const conditions = conditionsOf(deployment, next, all, present, clock.now());
  return { ...next, ...(conditions.length === 0 ? {} : { conditions }) };
}

/** Whether all wanted pods are of the present template and available. */
export function isComplete(deployment: Deployment, status: Status): boolean {
  const wanted = replicasOf(deployment);
  return status.updatedReplicas === wanted && status.replicas === wanted && status.availableReplicas === wanted &&
    Number(status.observedGeneration ?? 0) >= Number(deployment.metadata.generation ?? 0);
}

/** Milliseconds until the update counts as failed; undefined if it cannot. */
export function msUntilDeadline({ spec }: Deployment, status: Status, now: number): number | undefined {
  const progressing = find(status.conditions, "Progressing"), deadline = spec.progressDeadlineSeconds ?? 600;
  if (deadline === noDeadline || spec.paused || progressing?.status !== "True" || progressing.reason === "NewReplicaSetAvailable") {
    return undefined;
  }
  return Math.max(0, Date.parse(progressing.lastUpdateTime ?? "") + deadline * 1_000 - now) + 1_000;
}

const find = (conditions: Status["conditions"], type: string): Condition | undefined => conditions?.find((each) => each.type === type);

function conditionsOf(
  deployment: Deployment,
  next: Status,
  all: readonly ReplicaSet[],
  present: ReplicaSet | undefined,
  now: number,
): Condition[] {
  const before = deployment.status.conditions ?? [];
  const isAvailable = (next.availableReplicas ?? 0) >= replicasOf(deployment) - unavailableMaxOf(deployment);
  const failure = all.flatMap(({ status }) => status.conditions ?? []).find(({ type, status }) =>
    type === "ReplicaFailure" && status === "True"
  );
  const made = new Map(before.map((each) => [each.type, each]));
  const set = (condition: Pick<Condition, "type" | "status" | "reason" | "message">, isProgress = false) =>
    made.set(condition.type, changed(made.get(condition.type), condition, now, isProgress));
  set(
    isAvailable
      ? { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." }
      : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      },
  );
  const progress = progressOf(deployment, next, present, now);
  if (progress === "none") made.delete("Progressing");
  else if (progress !== "same") set(progress, progress.reason === "ReplicaSetUpdated");
  if (failure === undefined) made.delete("ReplicaFailure");
  else set({ type: "ReplicaFailure", status: "True", reason: failure.reason ?? "", message: failure.message ?? "" });
  return [...made.values()];
}

/** A condition with its times. `isProgress`: the time of the update moves although nothing else has changed. */
function changed(
  before: Condition | undefined,
  condition: Pick<Condition, "type" | "status" | "reason" | "message">,
  now: number,
  isProgress: boolean,
): Condition {
  const isSame = before?.status === condition.status && before.reason === condition.reason;
  if (before !== undefined && isSame && !isProgress) return before;
  const time = timestampOf(now);
  const since = before?.status === condition.status ? before.lastTransitionTime : time;
  return { ...condition, lastUpdateTime: time, lastTransitionTime: since } as Condition;
}

function progressOf(deployment: Deployment, next: Status, present: ReplicaSet | undefined, now: number) {
  const { spec, status } = deployment, before = find(status.conditions, "Progressing"), deadline = spec.progressDeadlineSeconds ?? 600;
  if (deadline === noDeadline) return "none" as const;
  if (spec.paused) {
    if (before?.reason === "ProgressDeadlineExceeded" || before?.reason === "DeploymentPaused") return "same" as const;
    return { type: "Progressing", status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" };
  }
  if (next.replicas === next.updatedReplicas && before?.reason === "NewReplicaSetAvailable") return "same" as const;
  const name = present?.metadata.name ?? "", subject = name === "" ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${name}"`;
  if (isComplete(deployment, next)) {
    return { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: `${subject} has successfully progressed.` };
  }
  if (isProgressing(status, next) || before === undefined) {
    return { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message: `${subject} is progressing.` };
  }
  if (before.reason === "DeploymentPaused") {
    return { type: "Progressing", status: "Unknown", reason: "DeploymentResumed", message: "Deployment is resumed" };
  }
  if (before.reason === "NewReplicaSetAvailable" || before.reason === "ProgressDeadlineExceeded") return "same" as const;
  if (Date.parse(before.lastUpdateTime ?? "") + deadline * 1_000 >= now) return "same" as const;
  return { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: `${subject} has timed out progressing.` };
}

/** Whether the update has come closer to its end. */
function isProgressing(before: Status, next: Status): boolean {
  const old = (status: Status) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (next.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) || old(next) < old(before) ||
    (next.readyReplicas ?? 0) > (before.readyReplicas ?? 0) || (next.availableReplicas ?? 0) > (before.availableReplicas ?? 0);
}
