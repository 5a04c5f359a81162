import type { ServerClock } from "./async.ts";

/** A clock that tests advance. */
export interface ManualClock extends ServerClock {
  /** Advances the time and runs due timers in order of time. */
  advance(ms: number): void;
  /** Number of pending timers. */
  readonly waiting: number;
}

export function manualClock(start = 1_000_000): ManualClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = until;
    },
    get waiting() {
      return timers.size;
    },
  };
}
