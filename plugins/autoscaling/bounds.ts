/** Bounds of autoscalers, which are upstream's. */
import { bound } from "../../core/bound.ts";

/** Seconds of the period of a policy. */
export const periodSecondsMax = bound(1800);
/** Seconds for which earlier recommendations count. */
export const windowSecondsMax = bound(3600);
