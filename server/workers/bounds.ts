/** Bounds that several files of this folder keep. */
import { bound } from "../../core/bound.ts";

/** Milliseconds that one worker waits for the metrics and errors of the others; one that does not answer counts with its last known metrics. */
export const workerAnswerMs = bound(2_000);
/** Milliseconds that a worker has to end if it is stopped before it was ready; after twice that time it is killed. */
export const workerUnreadyEndMs = bound(5_000);
