/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Entries of one page when the cache is filled, or compared with the store. */
export const fillPageEntriesMax = bound(2_000);
/** Bytes that are compressed in one step: at most 2 ms. */
export const deflateBytesMax = bound(128 * 1024);
