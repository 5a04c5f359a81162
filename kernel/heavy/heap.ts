/** The heap of this thread. */
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Heap {
  /** Bytes that it takes with the buffers of its objects, garbage included. */
  bytes(): number;
  /** Frees all garbage and gives its memory back to the system. Takes tens of milliseconds. */
  collect(): void;
}

type Collect = (how: { readonly type: "major"; readonly execution: "sync"; readonly flavor: "last-resort" }) => void;

/** Both runtimes take V8's flag at run time; it shows in contexts that are made later. */
export function openHeap(): Heap {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  return {
    bytes: () => {
      const { heapTotal, external } = process.memoryUsage();
      return heapTotal + external;
    },
    collect: () => collect({ type: "major", execution: "sync", flavor: "last-resort" }),
  };
}
