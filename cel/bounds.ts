/** Bounds that several files of this folder keep. */
import { bound } from "../core/bound.ts";

/** Maximum number of mistakes that are reported for a CEL expression. */
export const celIssuesMax = bound(100);
/** Maximum cost, in units of CEL, of all rules of a schema that are evaluated for one object. */
export const celObjectCostMax = bound(10_000_000);
