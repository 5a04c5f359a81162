import { tooLargeRevision } from "../reads/reads.ts";
import type { Clock } from "../../core/async.ts";
import type { Revision } from "../store/store.ts";
import type { CacheMeter } from "./metrics.ts";
import type { WatchCache } from "./watch-cache.ts";
import { revisionWaitMs } from "../reads/direct-reads.ts";

export interface RevisionWaitNeeds {
  readonly cache: WatchCache;
  readonly clock: Clock;
}

/**
 * Waits until the cache has reached a revision.
 *
 * @throws StatusError 504 after `revisionWaitMs`; the signal's reason when it aborts
 */
export async function waitForRevision(
  { cache, clock }: RevisionWaitNeeds,
  meter: CacheMeter,
  revision: Revision,
  signal: AbortSignal,
): Promise<void> {
  const since = clock.now();
  const reached = await cache.waitUntilReached(revision, revisionWaitMs, signal).finally(() => meter.waited(clock.now() - since));
  if (!reached) throw tooLargeRevision(revision, cache.revision);
}
