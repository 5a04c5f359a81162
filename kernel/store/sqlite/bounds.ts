/** Bounds that several files of this folder keep. */
import { bound } from "../../../core/bound.ts";

/** Bytes of disk space that the embedded store reserves for deletions and compaction. */
export const storeReserveBytes = bound(16 * 1024 * 1024);
