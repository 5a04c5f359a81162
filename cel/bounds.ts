/** Bounds that several files of this folder keep. */
import { bound } from "../core/bound.ts";

/** Mistakes reported for a CEL expression. */
export const celIssuesMax = bound(100);
/** Cost units of all rules of a schema that are evaluated for one object. */
export const celObjectCostMax = bound(10_000_000);
