/** The taints of nodes that follow from their state, and what they do to pods. */
import { type Taint, tolerates } from "../placement/taints.ts";
import type { Node, Pod } from "../world/world.ts";
import { timestampOf } from "../world/time.ts";
import { nodeCondition } from "./fate.ts";

const notReady = "node.kubernetes.io/not-ready", unreachable = "node.kubernetes.io/unreachable";
const unschedulable = "node.kubernetes.io/unschedulable";
/** The taints of pressures, by condition. */
const byCondition: Readonly<Record<string, string>> = Object.freeze({
  MemoryPressure: "node.kubernetes.io/memory-pressure",
  DiskPressure: "node.kubernetes.io/disk-pressure",
  PIDPressure: "node.kubernetes.io/pid-pressure",
  NetworkUnavailable: "node.kubernetes.io/network-unavailable",
});
const kept: ReadonlySet<string> = new Set([notReady, unreachable, unschedulable, ...Object.values(byCondition)]);

function derivedTaints(node: Node): readonly Pick<Taint, "key" | "effect">[] {
  const ready = nodeCondition(node, "Ready")?.status;
  const state = ready === "True" ? undefined : ready === "Unknown" ? unreachable : notReady;
  const pressed = Object.entries(byCondition).filter(([type]) => nodeCondition(node, type)?.status === "True").map(([, key]) => key);
  return [
    ...(state === undefined ? [] : [{ key: state, effect: "NoSchedule" } as const]),
    // A node that has never been ready gets no pods evicted: it has none.
    ...(state === undefined || ready === undefined ? [] : [{ key: state, effect: "NoExecute" } as const]),
    ...(node.spec.unschedulable === true ? [{ key: unschedulable, effect: "NoSchedule" } as const] : []),
    ...pressed.map((key) => ({ key, effect: "NoSchedule" } as const)),
  ];
}

/** Returns the taints that the node is to have; undefined if it has them. Taints of others stay. */
export function wantedTaints(node: Node, now: number): readonly Taint[] | undefined {
  const { taints = [] } = node.spec, derived = derivedTaints(node);
  const isSame = (a: Pick<Taint, "key" | "effect">, b: Pick<Taint, "key" | "effect">) => a.key === b.key && a.effect === b.effect;
  const stays = taints.filter((each) => !kept.has(each.key) || derived.some((other) => isSame(each, other)));
  const added = derived.filter((each) => !taints.some((other) => isSame(each, other)));
  if (added.length === 0 && stays.length === taints.length) return undefined;
  const timeAdded = timestampOf(now);
  return [...stays, ...added.map((each) => ({ ...each, timeAdded }))];
}

/**
 * Returns when the NoExecute taints of its node evict the pod, in milliseconds since 1970; undefined if they never do. A taint that is not tolerated
 * evicts at once, others after the shortest `tolerationSeconds`.
 */
export function evictedAt(pod: Pod, taints: readonly Taint[], now: number): number | undefined {
  let at: number | undefined;
  for (const taint of taints) {
    if (taint.effect !== "NoExecute") continue;
    const matching = (pod.spec.tolerations ?? []).filter((each) => tolerates(each, taint));
    if (matching.length === 0) return 0;
    const seconds = matching.reduce((least, { tolerationSeconds }) => Math.min(least, Number(tolerationSeconds ?? Infinity)), Infinity);
    if (seconds === Infinity) continue;
    const since = Date.parse(taint.timeAdded ?? ""), due = (Number.isNaN(since) ? now : since) + Math.max(0, seconds) * 1_000;
    at = Math.min(at ?? Infinity, due);
  }
  return at;
}
