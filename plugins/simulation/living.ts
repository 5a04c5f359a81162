/** What makes nodes and pods live: the reconcilers that keep a state of their own. */
import { serverRelease } from "../../core/releases.ts";
import { ClusterAddresses } from "./nodes/cluster-addresses.ts";
import { nodeLifecycleReconciler } from "./nodes/lifecycle.ts";
import { nodeReconciler } from "./nodes/nodes.ts";
import { kubeletReconciler } from "./pods/kubelet.ts";
import { schedulerReconciler } from "./scheduler/scheduler.ts";
import { loadBalancerReconcilers } from "./services/load-balancers.ts";
import { releaseSetting } from "./settings.ts";
import { runOtherKinds } from "./staging/other-kinds.ts";
import { stagedNodes, stagedPods, stageReconciler } from "./staging/runner.ts";
import { StageBook } from "./staging/stage-book.ts";
import type { Reconciler } from "./world/reconciler.ts";
import type { World } from "./world/world.ts";

/** What makes objects live. */
export interface Life {
  readonly nodes: Reconciler;
  readonly others: readonly Reconciler[];
  /** Does the Stages of other kinds, until the signal of the world aborts. */
  runOtherKinds(): Promise<void>;
}

/** Makes the reconcilers of nodes, and the others, which may begin when nodes are ready. All objects of the world must be known. */
export function openLife(world: World): Life {
  const addresses = new ClusterAddresses(world), book = new StageBook(world);
  const named = world.context.setting(releaseSetting).map((text) => text.slice(text.indexOf("=") + 1)).find((text) => text !== "");
  return {
    nodes: nodeReconciler(addresses, book, `v${named ?? serverRelease}.0`),
    others: [
      nodeLifecycleReconciler(),
      kubeletReconciler(addresses, book),
      schedulerReconciler(world),
      stageReconciler(stagedPods(world), world, book, addresses),
      stageReconciler(stagedNodes(world), world, book, addresses),
      ...loadBalancerReconcilers(),
    ],
    runOtherKinds: () => runOtherKinds(world, book, addresses),
  };
}
