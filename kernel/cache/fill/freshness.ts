/** Finds the store's newest revision and whether the cache has it, once for all readers that wait together. */
import type { Clock } from "../../../core/async.ts";
import type { Revision } from "../../store/store.ts";
import { bound } from "../../../core/bound.ts";

/**
 * Milliseconds of the shared wait of readers of the newest state. Signals and timeouts of readers are not checked during it: a signal and
 * timers for each reader would cost more than the shared round trip, which takes about a millisecond.
 */
const sharedWaitMs = bound(100);

/**
 * Shares round trips. A caller during a round trip cannot use its result, which may have been read before the call; all such
 * callers share the next round trip:
 *
 *   a calls       |---- round trip ----|
 *   b, c call          ^  ^            |---- round trip ----|
 */
export function sharedRoundTrip<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const trip = ask().finally(() => {
      // Callers that wait have the next round trip already; a second one must not begin beside it.
      if (running === trip && next === undefined) running = undefined;
    });
    running = trip;
    return trip;
  }
  return () => {
    if (running === undefined) return start();
    return next ??= running.then(start, start);
  };
}

/** A wait until the cache reaches a revision. */
export interface Passing {
  readonly passed: Promise<void>;
  forget(): void;
}

/** The results that readers share if they wait together. */
export interface Together {
  /** The store's newest revision. It comes from a read that began no earlier than the readers' calls. */
  readonly newest: Promise<Revision>;
  /** Whether the cache has reached that revision within `sharedWaitMs`. If false, each reader waits with its own timeout. */
  readonly isSoon: Promise<boolean>;
}

/**
 * Returns a function that shares the round trip and the wait between readers. `ask` returns the same promise to callers that share a
 * result.
 */
export function catcherUp(ask: () => Promise<Revision>, pass: (revision: Revision) => Passing, clock: Clock): () => Together {
  let last: Together | undefined;

  async function isSoon(newest: Promise<Revision>): Promise<boolean> {
    const over = Promise.withResolvers<undefined>();
    const cancel = clock.after(sharedWaitMs, () => over.resolve(undefined));
    try {
      const revision = await Promise.race([newest, over.promise]);
      if (revision === undefined) return false;
      const { passed, forget } = pass(revision);
      return await Promise.race([passed.then(() => true), over.promise.then(() => false)]).finally(forget);
    } finally {
      cancel();
    }
  }
  return () => {
    const newest = ask();
    if (last?.newest !== newest) last = { newest, isSoon: isSoon(newest) };
    return last;
  };
}
