/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Milliseconds between two log lines about the same failure of requests. */
export const errorLogMs = bound(10_000);
