/** Whether a job has succeeded or failed (upstream: pkg/controller/job). */
import { restartsOf } from "../pod-state.ts";
import type { Account } from "./account.ts";
import { readIndexes } from "./indexes.ts";
import { isIndexed, type Job } from "./types.ts";

/** The end to which a job comes once its pods are gone. */
export interface Outcome {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

const failed = (reason: string, message: string): Outcome => ({ type: "Failed", reason, message });

/** Milliseconds until the job fails by its deadline; undefined without one. */
export function msUntilDeadline({ spec, status }: Job, now: number): number | undefined {
  const seconds = spec.activeDeadlineSeconds ?? undefined;
  if (seconds === undefined || spec.suspend === true || !status.startTime) return undefined;
  return Date.parse(status.startTime) + Number(seconds) * 1_000 - now;
}

/** Returns how the job ends; undefined while it goes on. */
export function outcomeOf(job: Job, account: Account, now: number): Outcome | undefined {
  const { spec } = job, limit = spec.backoffLimit ?? 6;
  const isOnFailure = spec.template.spec.restartPolicy === "OnFailure";
  const restarts = isOnFailure ? account.active.reduce((sum, pod) => sum + restartsOf(pod), 0) : 0;
  if (account.failJob !== undefined) return failed("PodFailurePolicy", account.failJob);
  if (account.failed > limit || (isOnFailure && restarts > 0 && restarts >= limit)) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const deadline = msUntilDeadline(job, now);
  if (deadline !== undefined && deadline <= 0) return failed("DeadlineExceeded", "Job was active longer than specified deadline");
  return outcomeOfIndexes(job, account) ??
    (isComplete(job, account)
      ? { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" }
      : undefined);
}

function outcomeOfIndexes(job: Job, { failedIndexes, completedIndexes }: Account): Outcome | undefined {
  const { spec } = job, completions = spec.completions ?? 0, max = spec.maxFailedIndexes ?? undefined;
  if (!isIndexed(job)) return undefined;
  if (max !== undefined && failedIndexes.size > max) {
    return failed("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  for (const [at, rule] of (spec.successPolicy?.rules ?? []).entries()) {
    const wanted = rule.succeededIndexes ? readIndexes(rule.succeededIndexes, completions) : undefined;
    const done = wanted === undefined ? completedIndexes.size : [...wanted].filter((index) => completedIndexes.has(index)).length;
    const needed = rule.succeededCount ?? wanted?.size ?? Infinity;
    if (done >= needed) return { type: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${at}` };
  }
  if (failedIndexes.size > 0 && failedIndexes.size + completedIndexes.size >= completions) {
    return failed("FailedIndexes", "Job has failed indexes");
  }
  return undefined;
}

function isComplete({ spec }: Job, { succeeded, active }: Account): boolean {
  const completions = spec.completions ?? undefined;
  return completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions && active.length === 0;
}
