/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Bytes of all values of a ConfigMap or Secret. */
export const configBytesMax = bound(1024 * 1024);
