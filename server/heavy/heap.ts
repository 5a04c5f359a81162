/** The heap of this thread. */
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Heap {
  /** Bytes of the heap and of the buffers of its objects, including garbage. */
  bytes(): number;
  /** Bytes of the objects in the heap and of their buffers, including garbage, without the pages that V8 keeps free. */
  usedBytes(): number;
  /** Frees all garbage and returns its memory to the system. Takes tens of milliseconds. */
  collect(): void;
}

type Collect = (how: { readonly type: "major"; readonly execution: "sync"; readonly flavor: "last-resort" }) => void;

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
    collect: () => collect({ type: "major", execution: "sync", flavor: "last-resort" }),
  };
}
