/** Which pods make room for one of a higher priority (upstream: pkg/scheduler/framework/plugins/defaultpreemption). */
import { append } from "../../../core/append.ts";
import { bound } from "../../../core/bound.ts";
import { objectKey } from "../../../plugin.ts";
import { conditionOf } from "../workloads/pod-state.ts";
import type { Pod } from "../world/world.ts";
import { type Budget, violating } from "./budget-check.ts";
import type { Candidate } from "./candidate.ts";
import { assume, type Refusal, refusalOf, unavailableText } from "./choose-node.ts";
import type { ClusterRoom } from "./cluster-room.ts";
import { type NodeRoom, priorityOf } from "./node-room.ts";

/** Nodes among which the one is chosen that loses the least. */
const plansMax = bound(100);
/** Trials of a pod on a node after which no further node is looked at: they are made in one turn. */
const trialsMax = bound(1_000);

/** The reason of the condition DisruptionTarget of a pod that makes room. */
export const preemptionReason = "PreemptionByScheduler";

/** The pods that leave a node, so that another pod can be there. */
export interface Plan {
  readonly room: NodeRoom;
  /** The most important first. Pods that are being deleted already are among them. */
  readonly victims: readonly Pod[];
  /** How many victims a budget would not let go. */
  readonly violations: number;
}

/** A plan, or why there is none. `keepsNomination`: the pod waits for pods that are leaving its nominated node. */
export type Preemption = { readonly plan: Plan } | { readonly why: string; readonly keepsNomination: boolean };

/** Looks for pods of lower priorities without which the pod can be on a node that refuses it. Nothing is changed. */
export function planPreemption(
  candidate: Candidate,
  cluster: ClusterRoom,
  refusals: readonly Refusal[],
  budgets: readonly Budget[],
): Preemption {
  const { pod } = candidate, priority = priorityOf(pod);
  if (pod.spec.preemptionPolicy === "Never") return { why: "not eligible due to preemptionPolicy=Never.", keepsNomination: true };
  if (isMakingRoom(pod, cluster, refusals)) {
    return { why: "not eligible due to a terminating pod on the nominated node.", keepsNomination: true };
  }
  const plans: Plan[] = [], reasons: string[] = [], trials = { count: 0 };
  for (const { room, isResolvable } of refusals) {
    if (!isResolvable) reasons.push("Preemption is not helpful for scheduling");
    else if (!room.hasBelow(priority)) reasons.push("No preemption victims found for incoming pod");
    else if (plans.length < plansMax && trials.count < trialsMax) {
      const found = planOn(room, candidate, cluster, { budgets, trials });
      if ("victims" in found) plans.push(found);
      else append(reasons, found.reasons);
    }
  }
  const plan = leastHarm(plans);
  return plan === undefined ? { why: unavailableText(reasons, refusals.length), keepsNomination: false } : { plan };
}

/** Whether pods leave the nominated node for this pod already. */
function isMakingRoom(pod: Pod, cluster: ClusterRoom, refusals: readonly Refusal[]): boolean {
  const name = pod.status?.nominatedNodeName ?? "", room = cluster.room(name);
  if (room === undefined || refusals.some((each) => each.room === room && !each.isResolvable)) return false;
  return [...room.pods()].some((other) => {
    const condition = conditionOf(other, "DisruptionTarget");
    return priorityOf(other) < priorityOf(pod) && other.metadata.deletionTimestamp !== undefined && condition?.status === "True" &&
      condition.reason === preemptionReason;
  });
}

interface Search {
  readonly budgets: readonly Budget[];
  readonly trials: { count: number };
}

/** Takes all pods of lower priorities from a node, and gives back as many as it can: those first that a budget protects, and the more important ones. */
function planOn(room: NodeRoom, candidate: Candidate, cluster: ClusterRoom, { budgets, trials }: Search): Plan | Refusal {
  const lower = [...room.pods()].filter((other) => priorityOf(other) < priorityOf(candidate.pod)).sort(moreImportantFirst);
  const gone = new Set<Pod>(), protectedOnes = violating(lower, budgets);
  const leave = (other: Pod) => {
    assume(other, room, candidate, -1);
    gone.add(other);
  };
  for (const other of lower) leave(other);
  const refusal = refusalOf(candidate, room, cluster);
  if (refusal === undefined) {
    for (const other of [...lower.filter((each) => protectedOnes.has(each)), ...lower.filter((each) => !protectedOnes.has(each))]) {
      assume(other, room, candidate, 1);
      gone.delete(other);
      trials.count++;
      if (refusalOf(candidate, room, cluster) !== undefined) leave(other);
    }
  }
  const victims = lower.filter((other) => gone.has(other));
  for (const other of victims) assume(other, room, candidate, 1);
  return refusal ?? { room, victims, violations: victims.filter((each) => protectedOnes.has(each)).length };
}

const startOf = ({ status, metadata }: Pod): number => Date.parse(status.startTime ?? metadata.creationTimestamp ?? "") || 0;

/** A higher priority is more important, then an earlier start. */
function moreImportantFirst(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || startOf(a) - startOf(b) || (objectKey(a) < objectKey(b) ? -1 : 1);
}

/** What a plan costs, the most important first: less is better. */
function harmOf({ victims, violations }: Plan): readonly number[] {
  const highest = victims.length === 0 ? -Infinity : priorityOf(victims[0]!);
  const first = victims.filter((each) => priorityOf(each) === highest).reduce((least, each) => Math.min(least, startOf(each)), Infinity);
  // Each victim counts, even one of a negative priority.
  const sum = victims.reduce((total, each) => total + priorityOf(each) + 2 ** 31, 0);
  return [victims.length === 0 ? 0 : 1, violations, highest, sum, victims.length, -first];
}

function leastHarm(plans: readonly Plan[]): Plan | undefined {
  let least: { readonly plan: Plan; readonly harm: readonly number[] } | undefined;
  for (const plan of plans) {
    const harm = harmOf(plan), at = least === undefined ? -1 : harm.findIndex((each, index) => each !== least!.harm[index]);
    if (least === undefined || (at >= 0 && harm[at]! < least.harm[at]!)) least = { plan, harm };
  }
  return least?.plan;
}
