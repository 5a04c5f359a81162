/** How new the store is, asked once for all who wait together. */

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
