/** The types of a job's parts. */
import type { World } from "../../world/world.ts";

/** A job, as it is stored. */
export type Job = NonNullable<ReturnType<World["jobs"]["at"]>>;
/** A condition of a job. */
export type Condition = NonNullable<Job["status"]["conditions"]>[number];

/** Whether a condition of this type is true. */
export function hasCondition({ status }: Job, type: string): boolean {
  return (status.conditions ?? []).some((each) => each.type === type && each.status === "True");
}

/** Whether the job has come to its end. */
export const isFinished = (job: Job): boolean => hasCondition(job, "Complete") || hasCondition(job, "Failed");

/** Whether each completion has an index. */
export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";
