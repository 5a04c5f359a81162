/** Bounds of jobs, which are upstream's. */
import { bound } from "../../core/bound.ts";

/** Rules of a failure policy, and rules of a success policy. */
export const rulesMax = bound(20);
/** Exit codes of one rule. */
export const exitCodesMax = bound(255);
/** Conditions of pods in one rule. */
export const patternsMax = bound(20);
/** Bytes of the indexes in one rule of a success policy. */
export const succeededIndexesBytesMax = bound(64 * 1024);
/** Bytes of the name of the controller of a job. */
export const managedByBytesMax = bound(63);
/** Pods of an indexed job that run at the same time, and indexes that may fail. */
export const indexedParallelismMax = bound(100_000);
/** Completions from which on an indexed job with a limit for each index has lower limits. */
export const completionsSoftMax = bound(100_000);
/** Pods at the same time, and indexes that may fail, of an indexed job with more completions than that. */
export const parallelismWithManyCompletionsMax = bound(10_000);
/** Bytes of the name of a new CronJob. */
export const cronJobNameBytesMax = bound(52);
