/** Time as the stores see it; tests hand in one that they move themselves. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `run` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/** What `setTimeout` can wait for at most; longer waits fire early and their owner looks again. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), timerMsMax));
    return () => clearTimeout(timer);
  },
});

/** Waits for the time, or until the signal aborts; 0 gives way for one turn. */
export function pause(ms: number, signal: AbortSignal, clock: Clock = systemClock): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      cancel();
      signal.removeEventListener("abort", over);
      resolve();
    };
    const cancel = clock.after(ms, over);
    signal.addEventListener("abort", over);
  });
}
