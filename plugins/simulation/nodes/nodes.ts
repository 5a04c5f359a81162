/** Simulated kubelets, as far as they keep their node: its labels, addresses, status and lease. */
import { type Resource, StatusError, type TypedApi } from "../../../plugin.ts";
import { leases } from "../../coordination/mod.ts";
import { followAll } from "../workloads/owner-keys.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { Node, World } from "../world/world.ts";
import type { BuiltInStages } from "./built-in-stages.ts";
import type { ClusterAddresses } from "./cluster-addresses.ts";
import { nodeCondition, readinessOf } from "./fate.ts";
import { needsStatus, nodeStatus } from "./node-status.ts";
import { wantedTaints } from "./taints.ts";

type Lease = typeof leases extends Resource<infer T> ? T : never;

/** The namespace of the leases of nodes. */
const leaseNamespace = "kube-node-lease";
/** How long the lease of a node is valid, in seconds, and how often it is renewed. Long, so that an idle cluster hardly writes. */
const leaseSeconds = 3_600, renewMs = 1_200_000;

/** Keeps the nodes. `version`: that of the kubelets, such as `v1.35.0`. */
export function nodeReconciler(addresses: ClusterAddresses, stages: BuiltInStages, version: string): Reconciler {
  return {
    name: "node",
    follow: (world, add) => followAll(world.nodes, add),
    async reconcile(world, key) {
      const found = world.nodes.at(key);
      if (found === undefined) return;
      const now = world.clock.now(), isLeft = stages.replaces("Node", "node-initialize", found);
      const node = isLeft ? found : await withStatus(world, found, addresses, version);
      await completeSpec(world, node, addresses);
      if (nodeCondition(node, "Ready")?.status === "Unknown") return;
      return await renewLease(world.context.api.of(leases), node, now);
    },
  };
}

async function withStatus(world: World, node: Node, addresses: ClusterAddresses, version: string): Promise<Node> {
  const { status = "Unknown", reason = "", message = "" } = nodeCondition(node, "Ready") ?? {};
  const readiness = readinessOf(node) ?? { status: status as "Unknown", reason, message };
  if (!needsStatus(node, readiness)) return node;
  const next = nodeStatus(node, { now: world.clock.now(), address: addresses.ofNode(node), version, readiness });
  return await world.nodes.updateStatus({ ...node, status: next });
}

/** Labels, the block of pod addresses and the taints of the node, in one write if any is missing. */
async function completeSpec(world: World, node: Node, addresses: ClusterAddresses): Promise<void> {
  const { labels = {}, name = "" } = node.metadata, { nodeInfo } = node.status, { podCIDR = "" } = node.spec;
  const wanted = {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": nodeInfo?.operatingSystem ?? "linux",
    "kubernetes.io/arch": nodeInfo?.architecture ?? "amd64",
  };
  const missing = Object.entries(wanted).filter(([label]) => labels[label] === undefined);
  const block = podCIDR === "" ? addresses.blockFor(node) : undefined, taints = wantedTaints(node, world.clock.now());
  if (missing.length === 0 && block === undefined && taints === undefined) return;
  await world.nodes.update({
    ...node,
    metadata: { ...node.metadata, labels: { ...labels, ...Object.fromEntries(missing) } },
    spec: {
      ...node.spec,
      ...(block === undefined ? {} : { podCIDR: block, podCIDRs: [block] }),
      ...(taints === undefined ? {} : { taints: [...taints] }),
    },
  });
}

/** Writes the lease if it is due. Resolves with the milliseconds until it is due again. */
async function renewLease(api: TypedApi<Lease>, node: Node, now: number): Promise<number> {
  const { name = "", uid = "" } = node.metadata;
  const found = await api.get(leaseNamespace, name).catch(ifMissing);
  const dueMs = found === undefined ? 0 : Date.parse(found.spec.renewTime ?? "") + renewMs - now;
  if (dueMs > 0) return dueMs;
  const renewTime = new Date(now).toISOString().replace("Z", "000Z");
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
  if (found === undefined) {
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
    await api.create(leaseNamespace, { metadata: { name, namespace: leaseNamespace, ownerReferences }, spec });
  } else await api.update(leaseNamespace, name, { ...found, spec: { ...found.spec, ...spec } });
  return renewMs;
}

function ifMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.reason === "NotFound") return undefined;
  throw error;
}
