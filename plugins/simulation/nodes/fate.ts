/** What the annotations of a node say about its fate. */
import type { Node } from "../world/world.ts";

/** The annotation of a node: `ready` (the default), `not-ready` or `unreachable`. */
export const nodeFateAnnotation = "simulation.thole.dev/node";

/** The state of the condition Ready of a node, and why. */
export interface Readiness {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** How Ready is on a healthy node. */
export const ready: Readiness = Object.freeze({ status: "True", reason: "KubeletReady", message: "the simulated kubelet is ready" });
const fates: ReadonlyMap<string, Readiness> = new Map([
  ["ready", ready],
  [
    "not-ready",
    Object.freeze({ status: "False", reason: "KubeletNotReady", message: "the annotation of the node says not-ready" } as const),
  ],
  [
    "unreachable",
    Object.freeze({ status: "Unknown", reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." } as const),
  ],
]);

/** The condition of a type; undefined if the node does not have it. */
export function nodeCondition({ status }: Node, type: string) {
  return status.conditions?.find((each) => each.type === type);
}

/**
 * How Ready is to be. Undefined leaves it as it is: the condition was written by somebody else, and no annotation says otherwise.
 */
export function readinessOf(node: Node): Readiness | undefined {
  const asked = fates.get(node.metadata.annotations?.[nodeFateAnnotation] ?? "");
  if (asked !== undefined) return asked;
  const now = nodeCondition(node, "Ready");
  const isOurs = [...fates.values()].some(({ reason, message }) => now?.reason === reason && now.message === message);
  return now === undefined || isOurs ? ready : undefined;
}

/** Whether the kubelet of the node works: it may start and stop pods. That of an unreachable node does not. */
export function hasKubelet(node: Node | undefined): boolean {
  return node !== undefined && nodeCondition(node, "Ready") !== undefined && nodeCondition(node, "Ready")?.status !== "Unknown";
}
