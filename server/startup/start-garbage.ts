/** Returns the memory that only the start needed to the system. */
import { type Clock, pause } from "../../core/async.ts";
import type { Heap } from "../heavy/heap.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds between two checks whether a server that has just started is quiet. */
export const quietMs = bound(2_000);
/** Milliseconds of CPU between two such checks (`quietMs`) up to which a server counts as quiet. */
export const quietCpuMs = bound(50);
/** Checks whether a started server is quiet. One that is busy at all of them keeps the garbage of its start until V8 needs the memory. */
export const quietLooksMax = bound(150);
/**
 * Bytes of objects in the heap, half of which are garbage after a start, above which the garbage of a start stays. A collection takes 1.7 ms of CPU for
 * each MiB that is kept, in three threads: up to a quarter of a second, once, while the server is quiet.
 */
export const startGarbageBytesMax = bound(256 * 1024 * 1024);

export interface StartGarbageParts {
  /** Opens the heap of this thread, once, when it is collected. */
  readonly openHeap: () => Pick<Heap, "objectBytes" | "collect">;
  /** CPU time of the process so far, in milliseconds. */
  readonly cpuMs: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Collects the heap once, as soon as the server is quiet. A start fills the young generation of V8's heap to its largest size, which V8 keeps until its next
 * full collection: in an idle server that never happens. Resolves when that is done, or given up: after `quietLooksMax` checks, and with a heap
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
    // The pause grows with the objects, not with the pages, of which those of the young generation are freed, nor with buffers, such as those of the cache.
    if (heap.objectBytes() <= startGarbageBytesMax) heap.collect();
    return;
  }
}
