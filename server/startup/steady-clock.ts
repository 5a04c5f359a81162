/** The wall time of a server for expiry and renewals; jumps of the wall clock are logged. */
import { every, systemClock } from "../../core/async.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { guide } from "../../core/guide.ts";
import { clockDoubtMs, steadyTime, type SteadyTimeOptions } from "../../core/steady-time.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds between two readings of the wall clock that are compared with the monotonic clock. */
const clockLookMs = bound(1_000);

export interface SteadyClock {
  /** Milliseconds since 1970, see `steadyTime`. */
  readonly now: () => number;
  /** Looks at the wall clock regularly until the signal aborts. */
  follow(signal: AbortSignal): void;
}

export function steadyClock(
  log: Pick<Log, "info" | "error">,
  clocks: Pick<SteadyTimeOptions, "wall" | "elapsed"> = systemClocks,
): SteadyClock {
  const now = steadyTime({
    ...clocks,
    jumped(ms) {
      const seconds = Math.abs(ms / 1000).toFixed(3);
      log.error(
        `the clock was set ${
          ms < 0 ? "back" : "forward"
        } by ${seconds} s against the time that has passed: expiry of objects and renewal of certificates wait`,
        { clock: new Date(clocks.wall()).toISOString(), waitSeconds: clockDoubtMs / 1000, todo: guide("the-clock-jumps") },
      );
    },
    settled: (because) =>
      log.info(because === "back" ? "the clock is right again" : "the time of the clock is used again for expiry and renewals", {
        clock: new Date(clocks.wall()).toISOString(),
      }),
  });
  return {
    now,
    follow(signal) {
      void every(clockLookMs, now, signal);
    },
  };
}

const systemClocks = Object.freeze({ wall: systemClock.now, elapsed: systemClock.elapsed });
