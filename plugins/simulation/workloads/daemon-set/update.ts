/** Which pods of a daemon set an update replaces in its next step. */
import { append } from "../../../../toolbox.ts";
import type { Pod } from "../../world/world.ts";
import type { DaemonSet } from "./types.ts";

/** How many nodes may be without an available pod, and how many may have two. */
export interface Amounts {
  readonly unavailable: number;
  readonly surge: number;
}

/** The amounts for so many nodes. */
export function amountsOf({ spec }: DaemonSet, nodes: number): Amounts {
  const { maxUnavailable, maxSurge } = spec.updateStrategy.rollingUpdate ?? {};
  const of = (value: number | string | undefined) => typeof value === "string" ? Math.ceil(parseInt(value, 10) * nodes / 100) : value ?? 0;
  const surge = of(maxSurge);
  return {
    surge: typeof maxSurge === "string" && nodes === 0 && parseInt(maxSurge, 10) > 0 ? 1 : surge,
    unavailable: Math.max(of(maxUnavailable), surge > 0 ? 0 : 1),
  };
}

/** The pods by node, and what is known of them. */
export interface Rollout {
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  readonly amounts: Amounts;
  isAvailable(pod: Pod): boolean;
  isNew(pod: Pod): boolean;
}

/**
 * Returns the pods to delete, and the nodes that get a second pod. Without surge an old pod goes while no more nodes than allowed are without an available
 * one; old pods that are not available go at once. With surge an old pod goes when the new one of its node is available.
 */
export function deletedForUpdate(
  { pods, isAvailable, isNew, amounts }: Rollout,
): { readonly deleted: readonly Pod[]; readonly surged: readonly string[] } {
  const deleted: Pod[] = [], surged: string[] = [], candidates: Pod[] = [];
  let unavailable = 0, surging = 0;
  const waiting: string[] = [];
  for (const [node, here] of pods) {
    const alive = here.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const old = alive.find((pod) => !isNew(pod)), fresh = alive.find(isNew);
    if (!alive.some(isAvailable)) unavailable++;
    if (old === undefined) continue;
    if (fresh !== undefined) {
      surging++;
      if (isAvailable(fresh) || !isAvailable(old)) deleted.push(old);
    } else if (!isAvailable(old)) deleted.push(old);
    else if (amounts.surge > 0) waiting.push(node);
    else candidates.push(old);
  }
  append(deleted, candidates.slice(0, Math.max(0, amounts.unavailable - unavailable)));
  append(surged, waiting.slice(0, Math.max(0, amounts.surge - surging)));
  return { deleted, surged };
}
