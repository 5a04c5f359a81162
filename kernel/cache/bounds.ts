/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Maximum number of entries of one page that is read when the cache is filled, or compared with the store. */
export const fillPageEntriesMax = bound(2_000);
/** Maximum bytes that are compressed in one step. A step then takes 2 ms at most. */
export const deflateBytesMax = bound(128 * 1024);
