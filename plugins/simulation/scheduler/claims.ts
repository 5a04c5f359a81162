/** The claims of a pod that are not bound to volumes yet. */
import { inParallel } from "../workloads/in-parallel.ts";
import type { Pod, World } from "../world/world.ts";
import { meetsTerm } from "../placement/node-affinity.ts";
import type { NodeCheck } from "./pod-affinity.ts";

type Claim = NonNullable<ReturnType<World["persistentVolumeClaims"]["at"]>>;

/** The annotation with the node of the pod, for provisioners of a class with WaitForFirstConsumer. */
export const selectedNode = "volume.kubernetes.io/selected-node";

/** What the claims of a pod mean for its node. */
export interface Claims {
  /** Claims that are bound after their pod has a node. */
  readonly waiting: readonly Claim[];
  /** Whether a volume that is bound can be reached from a node. */
  readonly checks: readonly NodeCheck[];
  /** Why the pod cannot be bound yet. */
  readonly problem?: string;
}

/** Returns what the claims of a pod mean for its node. */
export function claimsOf(world: World, pod: Pod): Claims {
  const waiting: Claim[] = [], checks: NodeCheck[] = [], { namespace = "", name: podName = "" } = pod.metadata;
  const blocked = (why: string): Claims => ({ waiting: [], checks: [], problem: unavailable(world, why) });
  for (const { name: volume, persistentVolumeClaim, ephemeral } of pod.spec.volumes ?? []) {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${volume}`);
    if (claimName === undefined) continue;
    const claim = world.persistentVolumeClaims.get(namespace, claimName);
    if (claim === undefined) return blocked(`persistentvolumeclaim "${claimName}" not found`);
    const { volumeName = "", storageClassName = "" } = claim.spec;
    if (volumeName !== "" && claim.status?.phase === "Bound") {
      const terms = world.persistentVolumes.get("", volumeName)?.spec.nodeAffinity?.required?.nodeSelectorTerms;
      if (terms === undefined) continue;
      const problem = { reason: "node(s) didn't match PersistentVolume's node affinity", isResolvable: false };
      checks.push({ problem: (node) => terms.some((term) => meetsTerm(term, node)) ? undefined : problem });
      continue;
    }
    const mode = world.storageClasses.get("", storageClassName)?.volumeBindingMode;
    if (mode !== "WaitForFirstConsumer") return blocked("pod has unbound immediate PersistentVolumeClaims");
    waiting.push(claim);
  }
  return { waiting, checks };
}

/** Why no node is available, whatever it has. */
export function unavailable(world: World, why: string): string {
  const total = world.nodes.size;
  return `0/${total} nodes are available: ${why}. no new claims to deallocate, preemption: 0/${total} nodes are available: ${
    total === 0 ? "" : `${total} Preemption is not helpful for scheduling`
  }.`;
}

/** Writes the node of their pod into claims, for their provisioners. */
export async function selectNode(world: World, claims: readonly Claim[], node: string): Promise<void> {
  await inParallel(
    claims.filter(({ metadata }) => metadata.annotations?.[selectedNode] !== node),
    (claim) =>
      world.persistentVolumeClaims.patch(claim, {
        merge: { metadata: { uid: claim.metadata.uid, annotations: { [selectedNode]: node } } },
      }),
  );
}
