/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Bytes of the heap of the heavy thread after a request above which the next request gets a new thread. */
export const heavyHeapBytesMax = bound(96 * 1024 * 1024);
