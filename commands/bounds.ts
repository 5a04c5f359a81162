/** Bounds that several files of this folder keep. */
import { bound } from "../core/bound.ts";

/** Bytes of one file that a command reads. */
export const manifestBytesMax = bound(16 * 1024 * 1024);
