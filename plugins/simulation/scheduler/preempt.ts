/** Removes the pods that make room for another one. */
import { withCondition } from "../nodes/pod-condition.ts";
import { inParallel } from "../workloads/in-parallel.ts";
import { hasEnded } from "../workloads/pod-state.ts";
import type { Pod, World } from "../world/world.ts";
import type { ClusterRoom } from "./cluster-room.ts";
import { priorityOf } from "./node-room.ts";
import { type Plan, preemptionReason } from "./preemption.ts";

/** Deletes the victims of a plan, with their time of grace. Pods of lower priorities that waited for the same node wait for it no more. */
export async function preempt(world: World, pod: Pod, { room, victims }: Plan, cluster: ClusterRoom): Promise<void> {
  const node = room.node?.metadata.name ?? "", note = `Preempted by pod ${pod.metadata.uid} on node ${node}`;
  const message = `${pod.spec.schedulerName ?? ""}: preempting to accommodate a higher priority pod`;
  const condition = { type: "DisruptionTarget", status: "True", reason: preemptionReason, message };
  await inParallel(victims.filter(({ metadata }) => metadata.deletionTimestamp === undefined), async (victim) => {
    const status = withCondition(victim, condition, world.clock.now());
    await world.pods.delete(await world.pods.updateStatus({ ...victim, status }));
    world.context.events.record(victim, { type: "Normal", reason: "Preempted", action: "Preempting", note, related: pod });
  });
  const outranked = cluster.nominatedOn(node).filter((other) => priorityOf(other) < priorityOf(pod) && !hasEnded(other.status));
  await inParallel(outranked, async (other) => {
    const { nominatedNodeName: _dropped, ...status } = other.status;
    await world.pods.updateStatus({ ...other, status });
  });
}
