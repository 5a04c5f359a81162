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
