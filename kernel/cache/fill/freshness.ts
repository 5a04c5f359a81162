/** How new the store is, and whether the cache is as new: asked once for all who wait together. */
import type { Clock } from "../../../core/async.ts";
import type { Revision } from "../../store/store.ts";

/**
 * Shares round trips. Who comes while one is under way cannot use its answer, because it may have been read before; all of
 * those share the next one:
 *
 *   a asks       |---- round trip ----|
 *   b, c ask          ^  ^            |---- round trip ----|
 */
export function sharedRoundTrip<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const trip = ask().finally(() => {
      // Those who wait already have the next one; nobody may begin another beside it.
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

/** A wait for the cache to come to a revision. */
export interface Passing {
  readonly passed: Promise<void>;
  forget(): void;
}

/** What those have in common who have asked together. */
export interface Together {
  /** The store's newest revision, told by a read that began no earlier than they asked. */
  readonly newest: Promise<Revision>;
  /** Whether the cache came to it within a moment; false: it takes longer, and each waits with the patience of its own. */
  readonly isSoon: Promise<boolean>;
}

/**
 * For so long nobody asks whether the client is still there or its time is up: a signal and timers for each reader would cost more
 * than the round trip that they share, which takes a millisecond.
 */
const momentMs = 100;

/** Shares the question and the wait. `ask` gives the same promise to those who share an answer. */
export function catchingUp(ask: () => Promise<Revision>, pass: (revision: Revision) => Passing, clock: Clock): () => Together {
  let last: Together | undefined;

  async function isSoon(newest: Promise<Revision>): Promise<boolean> {
    const over = Promise.withResolvers<undefined>();
    const cancel = clock.after(momentMs, () => over.resolve(undefined));
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
