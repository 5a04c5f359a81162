/** Compares wall time with the monotonic clock, so that a wrong clock causes nothing destructive. */
import { bound } from "./bound.ts";

/**
 * Milliseconds by which the difference of the wall clock and the monotonic clock may change between two readings. A larger change counts as
 * a jump.
 */
export const clockJumpMs = bound(5_000);
/** Milliseconds after a jump of the wall clock during which expiry, renewals and removals by age use the time from before the jump. */
export const clockDoubtMs = bound(10 * 60 * 1000);

export interface SteadyTimeOptions {
  /** Returns the time of the wall clock, in milliseconds since 1970. */
  readonly wall: () => number;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /**
   * The smallest change of the difference between two readings that counts as a jump. It must exceed what a clock that is adjusted
   * gradually gains between two readings.
   */
  readonly jumpMs?: number;
  /** Milliseconds after a jump after which the new wall time is used. */
  readonly doubtMs?: number;
  /** Called for each jump with the difference, in milliseconds. */
  readonly jumped?: (ms: number) => void;
  /** Called when a jump is over: the clock was set back, or its time is now used. */
  readonly settled?: (because: "back" | "accepted") => void;
}

/**
 * Makes a function that returns milliseconds since 1970, for work that deletes or replaces something at a certain time.
 *
 *   steady ──> the wall clock jumps against the monotonic one ──> in doubt ──> it jumps back, or `doubtMs` have passed ──> steady
 *
 * In doubt, the time goes on from before the jump. A monotonic clock stands still while a machine is suspended, so that is a jump, too.
 * Call the function regularly, so that it follows gradual adjustments of the wall clock.
 */
export function steadyTime(options: SteadyTimeOptions): () => number {
  const { wall, elapsed, jumpMs = clockJumpMs, doubtMs = clockDoubtMs, jumped, settled } = options;
  /** The difference between the wall clock and the monotonic clock that is in use. */
  let offset = wall() - elapsed();
  let doubt: { readonly offset: number; readonly since: number } | undefined;
  return () => {
    const at = elapsed(), seen = wall() - at;
    if (Math.abs(seen - offset) < jumpMs) {
      offset = seen;
      if (doubt !== undefined) settled?.("back");
      doubt = undefined;
    } else if (doubt === undefined || Math.abs(seen - doubt.offset) >= jumpMs) {
      doubt = { offset: seen, since: at };
      jumped?.(seen - offset);
    } else if (at - doubt.since >= doubtMs) {
      offset = seen;
      doubt = undefined;
      settled?.("accepted");
    } else doubt = { offset: seen, since: doubt.since };
    return at + offset;
  };
}
