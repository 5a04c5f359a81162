/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/**
 * Milliseconds after the last charge of a quota before its usage may be lowered. A create that was charged has been stored by then, and a
 * count includes it.
 */
export const quotaSettleMs = bound(3_000);
