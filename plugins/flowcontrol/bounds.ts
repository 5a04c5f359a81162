import { bound } from "../../core/bound.ts";

/** Requests that wait in one priority level, whatever its queues would hold. */
export const waitingMax = bound(10_000);
/** Flows of one priority level whose hands of queues are kept, and flows of one schema whose names are. */
export const handsMax = bound(1_000);
/** Queues of one priority level that are kept while some of them have no requests. */
export const idleQueuesMax = bound(256);
/** Seats that a list or a write takes at most. */
export const seatsMax = bound(10);
/** Longest time that a request waits for its seats, in milliseconds. */
export const waitMsMax = bound(60_000);
/** The largest value of `Retry-After` in the reply to a rejected request, in seconds. */
export const retryAfterSecondsMax = bound(32);
/** Flow schemas and priority levels that are followed, each. Further ones are not used. */
export const configuredMax = bound(5_000);
