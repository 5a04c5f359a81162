/** What workloads ask of a pod. */
import type { Pod } from "../world/world.ts";

/** Whether the pod has neither ended nor is it being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && !hasEnded(status);
}

/** Whether all containers have ended for good. */
export function hasEnded(status: Pod["status"]): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

/** Whether the pod is being deleted and its containers have not ended. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && !hasEnded(status);
}

/** The condition of a type; undefined if the pod does not have it. */
export function conditionOf({ status }: Pod, type: string) {
  return status.conditions?.find((each) => each.type === type);
}

/** Whether the pod takes requests. */
export function isReady(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

/** Milliseconds until the pod has been ready for `minReadySeconds`; 0 if it has, undefined if it is not ready. */
export function msUntilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = conditionOf(pod, "Ready");
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(ready.lastTransitionTime ?? "");
  return Number.isNaN(since) ? undefined : Math.max(0, since + minReadySeconds * 1_000 - now);
}

/** How often the containers of the pod were restarted. */
export function restartsOf({ status }: Pod): number {
  return [...status.initContainerStatuses ?? [], ...status.containerStatuses ?? []].reduce((sum, each) => sum + each.restartCount, 0);
}
