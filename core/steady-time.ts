/** Wall time that is compared with the monotonic clock, so that a wrong clock triggers nothing destructive. */
import { bound } from "./bound.ts";

/** Milliseconds by which the wall clock and the monotonic one may differ more than at the last reading before that counts as a jump. */
export const clockJumpMs = bound(5_000);
/** Milliseconds after a jump of the wall clock for which expiry, renewals and removals by age go on with the time from before it. */
export const clockDoubtMs = bound(10 * 60 * 1000);

export interface SteadyTimeOptions {
  /** The wall clock, in milliseconds since 1970. */
  readonly wall: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** The smallest difference between two looks that is a jump; must exceed what a clock that is adjusted gradually gains between them. */
  readonly jumpMs?: number;
  /** Time after a jump after which the new wall time is used. */
  readonly doubtMs?: number;
  /** Called for each jump with the difference, in milliseconds. */
  readonly jumped?: (ms: number) => void;
  /** Called when a jump is over: the clock was set back, or its time is now used. */
  readonly settled?: (because: "back" | "accepted") => void;
}

/**
 * Milliseconds since 1970 for what deletes or replaces something when its time has come.
 *
 *   steady ──> the wall clock jumps against the monotonic one ──> in doubt ──> it jumps back, or `doubtMs` have passed ──> steady
 *
 * In doubt, the time goes on from before the jump. A monotonic clock stands still while a machine is suspended: that is a jump, too. To be called
 * regularly, so that gradual adjustments of the wall clock are followed.
 */
export function steadyTime(options: SteadyTimeOptions): () => number {
  const { wall, elapsed, jumpMs = clockJumpMs, doubtMs = clockDoubtMs, jumped, settled } = options;
  /** Difference of the wall clock and the monotonic one that is in use. */
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
