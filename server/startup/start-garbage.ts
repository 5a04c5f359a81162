/** Returns the memory that only the start needed to the system. */
import { type Clock, pause } from "../../core/async.ts";
import type { Heap } from "../heavy/heap.ts";
import { bound } from "../../core/bound.ts";

/** Time between two looks at whether a server that has just started is quiet. */
export const quietMs = bound(2_000);
/** CPU time of a quiet server in that time. */
export const quietCpuMs = bound(50);
/** Number of looks. A server that is busy all this time keeps the garbage of its start until its engine needs the memory. */
export const quietLooksMax = bound(150);
/** Heap above which the garbage of a start stays: its collection would stop requests for longer than it is worth. */
export const startGarbageBytesMax = bound(64 * 1024 * 1024);

export interface StartGarbageParts {
  /** Opens the heap of this thread, once, when it is collected. */
  readonly openHeap: () => Heap;
  /** CPU time of the process so far, in milliseconds. */
  readonly cpuMs: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Collects the heap once, as soon as the server is quiet. A start fills the young generation of V8's heap to its largest size, which V8 keeps until its next
 * full collection: in an idle server that never happens. Resolves when that is done, or given up: after a bounded number of looks, and with a heap
 * whose collection would stop requests for long.
 */
export async function freeStartGarbage({ openHeap, cpuMs, clock, signal }: StartGarbageParts): Promise<void> {
  for (let look = 0, before = cpuMs(); look < quietLooksMax; look++) {
    await pause(quietMs, signal, clock);
    if (signal.aborted) return;
    const now = cpuMs(), isQuiet = now - before <= quietCpuMs;
    before = now;
    if (!isQuiet) continue;
    const heap = openHeap();
    if (heap.bytes() <= startGarbageBytesMax) heap.collect();
    return;
  }
}
