/** Chooses the node of a pod. */
import { untoleratedTaint } from "../placement/taints.ts";
import type { Node, Pod } from "../world/world.ts";
import { requestsOf } from "./amounts.ts";
import type { ClusterRoom } from "./cluster-room.ts";
import { nodePreference, selectsNode } from "../placement/node-affinity.ts";
import { hostPortsOf, type NodeRoom } from "./node-room.ts";
import { affinityCheck, type NamespaceLabels, type NodeCheck, spreadCheck } from "./pod-affinity.ts";

/** Why a node is not possible. `isResolvable`: whether it would be if pods were removed from it. */
export interface Refusal {
  readonly room: NodeRoom;
  readonly reasons: readonly string[];
  readonly isResolvable: boolean;
}

/** The node of a pod, or why there is none. */
export type Choice = { readonly node: Node } | { readonly refusals: readonly Refusal[] };

/** The pod with what it asks for, computed once for all nodes. */
export interface Candidate {
  readonly pod: Pod;
  readonly requests: ReturnType<typeof requestsOf>;
  readonly ports: ReturnType<typeof hostPortsOf>;
  readonly checks: readonly NodeCheck[];
}

/** Computes what all nodes are asked for. */
export function candidateOf(pod: Pod, cluster: ClusterRoom, labelsOf: NamespaceLabels, more: readonly NodeCheck[] = []): Candidate {
  const rooms = cluster.rooms();
  const checks = [...more, spreadCheck(pod, rooms), affinityCheck(pod, rooms, cluster.guarded(), labelsOf)].filter((each) =>
    each !== undefined
  );
  return { pod, requests: requestsOf(pod), ports: hostPortsOf(pod), checks };
}

const unschedulableTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;

/** Returns why the pod cannot be on the node of a room; undefined if it can. The reason is that of the first rule that fails, as upstream. */
export function refusalOf({ pod, requests, ports, checks }: Candidate, room: NodeRoom): Refusal | undefined {
  const node = room.node!, { taints = [], unschedulable = false } = node.spec; // rooms with a node
  const never = (reason: string): Refusal => ({ room, reasons: [reason], isResolvable: false });
  if (unschedulable && untoleratedTaint([unschedulableTaint], pod.spec.tolerations ?? [], ["NoSchedule"]) !== undefined) {
    return never("node(s) were unschedulable");
  }
  if (untoleratedTaint(taints, pod.spec.tolerations ?? [], ["NoSchedule", "NoExecute"]) !== undefined) {
    return never("node(s) had untolerated taint(s)");
  }
  if (!selectsNode(pod.spec, node)) return never("node(s) didn't match Pod's node affinity/selector");
  const lacking = room.lacks(requests, ports);
  if (lacking.length > 0) return { room, reasons: lacking, isResolvable: true };
  for (const check of checks) {
    const reason = check(node);
    if (reason !== undefined) return { room, reasons: [reason], isResolvable: false };
  }
  return undefined;
}

/**
 * Chooses the node with the best score: preferences of the pod first, then taints that only discourage, then the most free resources and the fewest pods. Equal
 * nodes are taken in the order of their names.
 */
export function chooseNode(candidate: Candidate, cluster: ClusterRoom): Choice {
  const refusals: Refusal[] = [];
  let best: { readonly node: Node; readonly score: number } | undefined;
  for (const room of cluster.rooms()) {
    const refusal = refusalOf(candidate, room);
    if (refusal !== undefined) refusals.push(refusal);
    else {
      const node = room.node!, score = scoreOf(candidate.pod, room);
      const isBetter = best === undefined || score > best.score || (score === best.score && node.metadata.name! < best.node.metadata.name!);
      if (isBetter) best = { node, score };
    }
  }
  return best === undefined ? { refusals } : { node: best.node };
}

function scoreOf(pod: Pod, room: NodeRoom): number {
  const node = room.node!,
    isDiscouraged = untoleratedTaint(node.spec.taints ?? [], pod.spec.tolerations ?? [], ["PreferNoSchedule"]) !== undefined;
  return 100 * nodePreference(pod.spec, node) - (isDiscouraged ? 10 : 0) + room.free() - room.size / 100_000;
}

/** The message of the condition PodScheduled, in upstream's form. */
export function refusalText(refusals: readonly Refusal[]): string {
  const total = refusals.length;
  if (total === 0) return "no nodes available to schedule pods";
  const reasons = histogram(refusals.flatMap((each) => each.reasons));
  const helpful = refusals.filter(({ isResolvable }) => isResolvable).length,
    preemption = [
      ...(helpful > 0 ? [`${helpful} No preemption victims found for incoming pod`] : []),
      ...(helpful < total ? [`${total - helpful} Preemption is not helpful for scheduling`] : []),
    ];
  return `0/${total} nodes are available: ${reasons.join(", ")}. no new claims to deallocate, preemption: 0/${total} nodes are available: ${
    preemption.sort().join(", ")
  }.`;
}

function histogram(reasons: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
}
