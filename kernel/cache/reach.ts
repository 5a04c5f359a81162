import { limits } from "../../core/limits.ts";
import { tooLargeRevision } from "../reads/reads.ts";
import type { Clock } from "../../core/async.ts";
import type { Revision } from "../store/store.ts";
import type { CacheMeter } from "./metrics.ts";
import type { WatchCache } from "./watch-cache.ts";

export interface ReachNeeds {
  readonly cache: WatchCache;
  readonly clock: Clock;
}

/** Waits for the cache to come to a revision; 504 where it does not in time. */
export async function reach({ cache, clock }: ReachNeeds, meter: CacheMeter, revision: Revision, signal: AbortSignal): Promise<void> {
  const since = clock.now();
  const reached = await cache.reached(revision, limits.reachMs, signal).finally(() => meter.waited(clock.now() - since));
  if (!reached) throw tooLargeRevision(revision, cache.revision);
}
