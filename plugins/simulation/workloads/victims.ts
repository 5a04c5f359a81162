/** Which pods of a workload are deleted first. */
import type { Pod } from "../world/world.ts";
import { isReady, restartsOf } from "./pod-state.ts";

/** The annotation by which users say what a pod is worth: the lowest goes first. */
const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** A pod's rank by several marks, the most important first: the lower goes first. */
function marksOf(pod: Pod, neighbours: ReadonlyMap<string, number>): readonly number[] {
  const { nodeName = "" } = pod.spec, { phase } = pod.status, ready = isReady(pod);
  const cost = Number(pod.metadata.annotations?.[costAnnotation] ?? 0);
  return [
    nodeName === "" ? 0 : 1,
    phase === "Pending" ? 0 : phase === "Running" ? 2 : 1,
    ready ? 1 : 0,
    Number.isFinite(cost) ? cost : 0,
    // A node with more pods of the workload gives first.
    -(neighbours.get(nodeName) ?? 0),
    -restartsOf(pod),
    -Date.parse(pod.metadata.creationTimestamp ?? ""),
  ];
}

/** Returns `count` pods that are deleted first, with the rules of kube-controller-manager. `related`: all pods that share the nodes with them. */
export function victims(pods: readonly Pod[], related: readonly Pod[], count: number): readonly Pod[] {
  if (count >= pods.length) return pods;
  const neighbours = new Map<string, number>();
  for (const { spec: { nodeName = "" } } of related) neighbours.set(nodeName, (neighbours.get(nodeName) ?? 0) + 1);
  const ranked = pods.map((pod) => ({ pod, marks: marksOf(pod, neighbours) }));
  ranked.sort((a, b) => {
    const at = a.marks.findIndex((mark, index) => mark !== b.marks[index]);
    return at < 0 ? 0 : a.marks[at]! - b.marks[at]!;
  });
  return ranked.slice(0, count).map(({ pod }) => pod);
}
