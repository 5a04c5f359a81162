/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** UTF-16 units of the rules in one definition, and a quarter of those of its patterns, above which it is validated in the heavy thread:
 *  parsing so many takes about 40 ms. */
export const inlineExpressionsLengthMax = bound(32 * 1024);
/** Objects that a controller processes concurrently. */
export const controllerPassesMax = bound(10);
