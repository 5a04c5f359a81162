/**
 * The garbage of the first fill of a large cache. The replies of the store are buffers outside of V8's heap, twice as many bytes as the cache keeps. V8 13
 * marks its whole heap, with all objects that were read before, for each 32 to 64 MiB of buffers: with a million objects that was half of the CPU until ready.
 *
 *   objects read   0 ----- fillGarbageObjectsMin ----------------------------- end of the fill
 *   V8 13          as ever |  collects at each fillGarbageBytesMax            | returns memory to the system
 *   others         as ever                                                    | returns memory to the system
 */
import { bound } from "../../core/bound.ts";
import type { Heap } from "../heavy/heap.ts";

/** Objects that a fill has read when its garbage is first counted. Smaller fills leave it to V8. */
export const fillGarbageObjectsMin = bound(50_000);
/** Bytes, of objects kept and of garbage, that a large fill adds to heap and buffers between two collections. */
export const fillGarbageBytesMax = bound(256 * 1024 * 1024);

export interface FillGarbage {
  /** Takes the number of objects of a page that was read. */
  onPage(objects: number): void;
  /** Ends the first fill. Later fills leave their garbage to V8, because requests would wait for a collection. */
  end(): void;
}

/** `openHeap` opens the heap of this thread, once a fill is large. */
export function fillGarbage(openHeap: () => Pick<Heap, "usedBytes" | "collect" | "limitTogether">): FillGarbage {
  let read = 0, isOver = false, heap: ReturnType<typeof openHeap> | undefined;
  /** Bytes at which the next collection is due. */
  let limit = Infinity;
  return {
    onPage(objects) {
      read += objects;
      if (isOver || read < fillGarbageObjectsMin) return;
      if (heap === undefined) {
        heap = openHeap();
        if (heap.limitTogether(true)) limit = heap.usedBytes() + fillGarbageBytesMax;
      }
      if (limit === Infinity || heap.usedBytes() < limit) return;
      heap.collect("regular");
      limit = heap.usedBytes() + fillGarbageBytesMax;
    },
    end() {
      isOver = true;
      heap?.limitTogether(false);
      heap?.collect();
      heap = undefined;
    },
  };
}
