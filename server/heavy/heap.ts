/** The heap of this thread. */
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Heap {
  /** Bytes of the heap and of the buffers of its objects, including garbage. */
  bytes(): number;
  /** Bytes of the objects in the heap and of their buffers, including garbage, without the pages that V8 keeps free. */
  usedBytes(): number;
  /** Bytes of the objects in the heap, including garbage, without their buffers: a collection takes as long as these take to mark. */
  objectBytes(): number;
  /** Frees all garbage and returns its memory to the system. Takes tens of milliseconds. "regular" takes less, and V8 keeps the memory. */
  collect(flavor?: Flavor): void;
  /**
   * With `isOn` V8 collects when heap and buffers together reach a limit that grows with them; by default V8 13 collects for each 32 to 64 MiB of
   * buffers. Returns false, without an effect, for other releases: later ones have such a limit.
   */
  limitTogether(isOn: boolean): boolean;
}

type Flavor = "regular" | "last-resort";
type Collect = (how: { readonly type: "major"; readonly execution: "sync"; readonly flavor: Flavor }) => void;

/** Whether V8 has the flag of `limitTogether` and does not set it by default. */
const hasFlag = process.versions.v8.startsWith("13.");

/** Both runtimes accept V8's flag at run time; it takes effect in contexts that are created later. */
export function openHeap(): Heap {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  // Node rejects code of its compile cache that was made with other flags.
  setFlagsFromString("--no-expose-gc");
  return {
    bytes: () => {
      const { heapTotal, external } = process.memoryUsage();
      return heapTotal + external;
    },
    usedBytes: () => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    objectBytes: () => process.memoryUsage().heapUsed,
    collect: (flavor = "last-resort") => collect({ type: "major", execution: "sync", flavor }),
    limitTogether(isOn) {
      if (hasFlag) setFlagsFromString(`--${isOn ? "" : "no-"}external-memory-accounted-in-global-limit`);
      return hasFlag;
    },
  };
}
