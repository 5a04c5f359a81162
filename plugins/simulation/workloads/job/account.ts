/** Counts the pods of a job that have ended, each once, across all writes that may fail. */
import type { Pod } from "../../world/world.ts";
import { isActive, isReady, isTerminating } from "../pod-state.ts";
import { verdictOf } from "./failure-policy.ts";
import { indexesText, readIndexes } from "./indexes.ts";
import { failuresBefore, indexOf, trackingFinalizer } from "./pods.ts";
import { isIndexed, type Job } from "./types.ts";

/** What is known of a job's pods. */
export interface Account {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Indexes that have succeeded, and those that have failed for good. */
  readonly completedIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** Pods that have ended and still have the finalizer. They may go when the status is written. */
  readonly ended: readonly Pod[];
  /** The uids of `ended`, for the status. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Why the job must fail by its policy; undefined if it need not. */
  readonly failJob: string | undefined;
}

const hasFinalizer = ({ metadata }: Pod): boolean => (metadata.finalizers ?? []).includes(trackingFinalizer);

/** Whether a pod is counted as failed: it has failed, or it goes and is replaced before it has ended. */
function isFailed(job: Job, { metadata, status }: Pod): boolean {
  if (status.phase === "Failed") return true;
  return status.phase !== "Succeeded" && metadata.deletionTimestamp !== undefined && job.spec.podReplacementPolicy !== "Failed";
}

/** Takes stock. Pods whose uids the status has as uncounted are in its numbers already. */
export function accountOf(job: Job, pods: readonly Pod[]): Account {
  const { status, spec } = job, completions = spec.completions ?? 0, known = status.uncountedTerminatedPods;
  const counted = new Set([...known?.succeeded ?? [], ...known?.failed ?? []]);
  const completed = readIndexes(status.completedIndexes, completions), failedFor = readIndexes(status.failedIndexes, completions);
  const ended: Pod[] = [], uncounted = { succeeded: [] as string[], failed: [] as string[] };
  let succeeded = status.succeeded ?? 0, failed = status.failed ?? 0, failJob: string | undefined;
  for (const pod of pods) {
    const { uid = "" } = pod.metadata, index = indexOf(pod), isNew = !counted.has(uid);
    if (!hasFinalizer(pod)) continue;
    if (pod.status.phase === "Succeeded") {
      ended.push(pod);
      uncounted.succeeded.push(uid);
      if (isIndexed(job) && index !== undefined && index < completions) completed.add(index);
      else if (isNew && !isIndexed(job)) succeeded++;
    } else if (isFailed(job, pod)) {
      ended.push(pod);
      uncounted.failed.push(uid);
      const { action, message } = verdictOf(job, pod);
      if (action === "FailJob") failJob ??= message;
      if (isNew && action !== "Ignore") failed++;
      const limit = spec.backoffLimitPerIndex ?? undefined;
      const isOver = limit !== undefined && action === "Count" && failuresBefore(pod) >= limit;
      if (index !== undefined && (action === "FailIndex" || isOver)) failedFor.add(index);
    }
  }
  const active = pods.filter(isActive);
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: isIndexed(job) ? completed.size : succeeded,
    failed,
    completedIndexes: completed,
    failedIndexes: failedFor,
    ended,
    uncounted,
    failJob,
  };
}

/** The members of the status that an account fills. */
export function accountStatus(job: Job, account: Account, active: number): Partial<Job["status"]> {
  const { ready, terminating, succeeded, failed, completedIndexes, failedIndexes, uncounted } = account;
  const hasLimit = (job.spec.backoffLimitPerIndex ?? undefined) !== undefined;
  return {
    active,
    ready,
    terminating,
    succeeded,
    failed,
    ...(isIndexed(job) ? { completedIndexes: indexesText(completedIndexes) } : {}),
    ...(hasLimit ? { failedIndexes: indexesText(failedIndexes) } : {}),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
    },
  };
}
