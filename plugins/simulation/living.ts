/** What makes nodes and pods live: the reconcilers that keep a state of their own. */
import { serverRelease } from "../../core/releases.ts";
import { ClusterAddresses } from "./nodes/cluster-addresses.ts";
import { nodeLifecycleReconciler } from "./nodes/lifecycle.ts";
import { nodeReconciler } from "./nodes/nodes.ts";
import { kubeletReconciler } from "./pods/kubelet.ts";
import { schedulerReconciler } from "./scheduler/scheduler.ts";
import { loadBalancerReconcilers } from "./services/load-balancers.ts";
import { releaseSetting } from "./settings.ts";
import { stageReconciler } from "./staging/runner.ts";
import { StageBook } from "./staging/stage-book.ts";
import type { Reconciler } from "./world/reconciler.ts";
import type { World } from "./world/world.ts";

/** Makes the reconcilers of nodes, and the others, which may begin when nodes are ready. All objects of the world must be known. */
export function openLife(world: World): { readonly nodes: Reconciler; readonly others: readonly Reconciler[] } {
  const addresses = new ClusterAddresses(world), book = new StageBook(world);
  const named = world.context.setting(releaseSetting).map((text) => text.slice(text.indexOf("=") + 1)).find((text) => text !== "");
  return {
    nodes: nodeReconciler(addresses, book, `v${named ?? serverRelease}.0`),
    others: [
      nodeLifecycleReconciler(),
      kubeletReconciler(addresses, book),
      schedulerReconciler(world),
      stageReconciler("Pod", world, book, addresses),
      stageReconciler("Node", world, book, addresses),
      ...loadBalancerReconcilers(),
    ],
  };
}
