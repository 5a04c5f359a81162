/** How many pods of a workload exist, are ready and are available. */
import type { Pod } from "../world/world.ts";
import { isActive, isReady, isTerminating, msUntilAvailable } from "./pod-state.ts";

/** The numbers of the pods of a workload. */
export interface Counts {
  /** Pods that have not ended and are not being deleted. */
  readonly active: number;
  readonly ready: number;
  readonly available: number;
  /** Pods that are being deleted and have not ended. */
  readonly terminating: number;
  /** Milliseconds until the next ready pod becomes available; undefined if none will. */
  readonly nextMs: number | undefined;
}

/** Counts pods. `minReadySeconds`: how long a pod must be ready before it is available. */
export function countPods(pods: Iterable<Pod>, minReadySeconds: number, now: number): Counts {
  let active = 0, ready = 0, available = 0, terminating = 0, nextMs: number | undefined;
  for (const pod of pods) {
    if (!isActive(pod)) {
      if (isTerminating(pod)) terminating++;
      continue;
    }
    active++;
    if (!isReady(pod)) continue;
    ready++;
    const ms = msUntilAvailable(pod, minReadySeconds, now);
    if (ms === 0) available++;
    else if (ms !== undefined) nextMs = Math.min(ms, nextMs ?? Infinity);
  }
  return { active, ready, available, terminating, nextMs };
}
