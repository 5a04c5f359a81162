/** Returns the memory that only the start needed to the system. */
import { type Clock, pause } from "../../core/async.ts";
import { limits } from "../../core/limits.ts";
import type { Heap } from "../heavy/heap.ts";

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
  for (let look = 0, before = cpuMs(); look < limits.quietLooksMax; look++) {
    await pause(limits.quietMs, signal, clock);
    if (signal.aborted) return;
    const now = cpuMs(), isQuiet = now - before <= limits.quietCpuMs;
    before = now;
    if (!isQuiet) continue;
    const heap = openHeap();
    if (heap.bytes() <= limits.startGarbageBytesMax) heap.collect();
    return;
  }
}
