/** A pod that is about to be placed. */
import type { Pod } from "../world/world.ts";
import { requestsOf } from "./amounts.ts";
import type { ClusterRoom } from "./cluster-room.ts";
import { hostPortsOf } from "./node-room.ts";
import { affinityCheck, type NamespaceLabels, type NodeCheck, spreadCheck } from "./pod-affinity.ts";

/** The pod with what it asks for, computed once for all nodes. */
export interface Candidate {
  readonly pod: Pod;
  readonly requests: ReturnType<typeof requestsOf>;
  readonly ports: ReturnType<typeof hostPortsOf>;
  readonly checks: readonly NodeCheck[];
  readonly labelsOf: NamespaceLabels;
}

/** Computes what all nodes are asked for. */
export function candidateOf(pod: Pod, cluster: ClusterRoom, labelsOf: NamespaceLabels, more: readonly NodeCheck[] = []): Candidate {
  const rooms = cluster.rooms();
  const checks = [...more, spreadCheck(pod, rooms), affinityCheck(pod, rooms, cluster.guarded(), labelsOf)].filter((each) =>
    each !== undefined
  );
  return { pod, requests: requestsOf(pod), ports: hostPortsOf(pod), checks, labelsOf };
}
