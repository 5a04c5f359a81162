import type { JobStatus } from "./job-schema.ts";

/** Whether the job has this condition with the status True. */
export function isTrue({ conditions }: JobStatus, type: string): boolean {
  return hasCondition(conditions, type, "True");
}
/** Whether the job has this condition with the status False, which differs from having none. */
export function isFalse({ conditions }: JobStatus, type: string): boolean {
  return hasCondition(conditions, type, "False");
}

function hasCondition(conditions: JobStatus["conditions"] = [], type: string, status: string): boolean {
  return conditions.some((each) => each.type === type && each.status === status);
}

/** Whether the job has completed or failed. */
export function isFinished(status: JobStatus): boolean {
  return isTrue(status, "Complete") || isTrue(status, "Failed");
}
