/** Chooses the node of a pod. */
import { objectKey } from "../../../plugin.ts";
import { schedulingEffects, untoleratedTaint } from "../placement/taints.ts";
import type { Node, Pod } from "../world/world.ts";
import type { Candidate } from "./candidate.ts";
import type { ClusterRoom } from "./cluster-room.ts";
import { selectsNode } from "../placement/node-affinity.ts";
import { type NodeRoom, priorityOf } from "./node-room.ts";
import { scoresOf } from "./scores.ts";

/** Why a node is not possible. `isResolvable`: whether it would be if pods were removed from it. */
export interface Refusal {
  readonly room: NodeRoom;
  readonly reasons: readonly string[];
  readonly isResolvable: boolean;
}

/** The node of a pod, or why there is none. */
export type Choice = { readonly node: Node } | { readonly refusals: readonly Refusal[] };

const unschedulableTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;

/** Returns why the pod cannot be on the node of a room; undefined if it can. The reason is that of the first rule that fails, as upstream. */
function refusalNow({ pod, requests, ports, checks }: Candidate, room: NodeRoom): Refusal | undefined {
  const node = room.node!, { taints = [], unschedulable = false } = node.spec; // rooms with a node
  const never = (reason: string): Refusal => ({ room, reasons: [reason], isResolvable: false });
  if (unschedulable && untoleratedTaint([unschedulableTaint], pod.spec.tolerations ?? [], ["NoSchedule"]) !== undefined) {
    return never("node(s) were unschedulable");
  }
  if (untoleratedTaint(taints, pod.spec.tolerations ?? [], schedulingEffects) !== undefined) {
    return never("node(s) had untolerated taint(s)");
  }
  if (!selectsNode(pod.spec, node)) return never("node(s) didn't match Pod's node affinity/selector");
  const lacking = room.lacks(requests, ports);
  if (lacking.length > 0) return { room, reasons: lacking, isResolvable: true };
  for (const check of checks) {
    const problem = check.problem(node);
    if (problem !== undefined) return { room, reasons: [problem.reason], isResolvable: problem.isResolvable };
  }
  return undefined;
}

/** Counts a pod on the node of a room as if it were there (1), or as if it were not (-1). Whoever assumes it takes it back in the same turn. */
export function assume(pod: Pod, room: NodeRoom, { checks }: Candidate, by: 1 | -1): void {
  if (by === 1) room.add(pod);
  else room.remove(objectKey(pod));
  for (const check of checks) check.change?.(pod, room.node!, by); // rooms with a node
}

/**
 * Returns why the pod cannot be on the node of a room. Pods of the same or a higher priority that are nominated for the node count, because they will be
 * there soon; the pod must fit without them, too, because they may not.
 */
export function refusalOf(candidate: Candidate, room: NodeRoom, cluster: ClusterRoom): Refusal | undefined {
  const { pod } = candidate, key = objectKey(pod);
  const expected = cluster.nominatedOn(room.node!.metadata.name ?? "").filter((other) =>
    objectKey(other) !== key && priorityOf(other) >= priorityOf(pod)
  );
  if (expected.length === 0) return refusalNow(candidate, room);
  for (const other of expected) assume(other, room, candidate, 1);
  const refusal = refusalNow(candidate, room);
  for (const other of expected) assume(other, room, candidate, -1);
  return refusal ?? refusalNow(candidate, room);
}

/**
 * Chooses the node with the best score. Equal nodes are taken in the order of their names. The node for which the pod is nominated is taken if it is
 * possible.
 */
export function chooseNode(candidate: Candidate, cluster: ClusterRoom): Choice {
  const nominated = cluster.room(candidate.pod.status?.nominatedNodeName ?? "");
  if (nominated !== undefined && refusalOf(candidate, nominated, cluster) === undefined) return { node: nominated.node! };
  const refusals: Refusal[] = [], possible: NodeRoom[] = [];
  for (const room of cluster.rooms()) {
    const refusal = refusalOf(candidate, room, cluster);
    if (refusal !== undefined) refusals.push(refusal);
    else possible.push(room);
  }
  const node = bestOf(possible, scoresOf(candidate, possible, cluster))?.node;
  return node === undefined ? { refusals } : { node };
}

function bestOf(rooms: readonly NodeRoom[], scores: readonly number[]): NodeRoom | undefined {
  const nameOf = ({ node }: NodeRoom) => node!.metadata.name ?? "";
  let best: number | undefined;
  for (const [index, room] of rooms.entries()) {
    const difference = best === undefined ? 1 : scores[index]! - scores[best]!;
    if (best === undefined || difference > 0 || (difference === 0 && nameOf(room) < nameOf(rooms[best]!))) best = index;
  }
  return best === undefined ? undefined : rooms[best];
}

/**
 * The message of the condition PodScheduled, in upstream's form. `preemption` says why no pods are preempted; undefined if some are.
 */
export function refusalText(refusals: readonly Refusal[], preemption: string | undefined, hasDevices = false): string {
  if (refusals.length === 0) return "no nodes available to schedule pods";
  const text = unavailableText(refusals.flatMap(({ reasons }) => reasons), refusals.length);
  return preemption === undefined
    ? text
    : `${text} ${hasDevices ? "still not schedulable" : "no new claims to deallocate"}, preemption: ${preemption}`;
}

/** Why none of the nodes is available, with each reason once. */
export function unavailableText(reasons: readonly string[], total: number): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return `0/${total} nodes are available: ${[...counts].map(([reason, count]) => `${count} ${reason}`).sort().join(", ")}.`;
}
