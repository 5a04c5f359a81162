/** Jobs: pods that run until enough of them have succeeded (upstream: pkg/controller/job). */
import { objectKey } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { Reconciler } from "../world/reconciler.ts";
import { sameStatus } from "../world/same-status.ts";
import { timestampOf } from "../world/time.ts";
import type { Pod, World } from "../world/world.ts";
import { controlledPods } from "./controlled-pods.ts";
import { inParallel } from "./in-parallel.ts";
import { type Account, accountOf, accountStatus } from "./job/account.ts";
import { msUntilDeadline, type Outcome, outcomeOf } from "./job/outcome.ts";
import { createJobPod, endOf, failuresBefore, indexOf, missingIndexes, releasePod, trackingFinalizer } from "./job/pods.ts";
import { type Condition, isFinished, isIndexed, type Job } from "./job/types.ts";
import { followAll, followOwned } from "./owner-keys.ts";
import { isActive, isTerminating } from "./pod-state.ts";
import { victims } from "./victims.ts";

/** Milliseconds until a failed pod is replaced: they double with each failure. */
const retryMsMin = bound(10_000), retryMsMax = bound(600_000);

/** The controller that a job names if it is that of the simulation. */
const managers: ReadonlySet<string | null | undefined> = new Set([undefined, null, "kubernetes.io/job-controller"]);

/** Runs the pods of Jobs. */
export const jobReconciler: Reconciler = {
  name: "job",
  follow(world, add) {
    followAll(world.jobs, add);
    followOwned(world.pods, "Job", add, function* ({ metadata: { namespace = "", labels = {} } }) {
      for (const each of world.jobs.in(namespace)) if (selectsLabels(each.spec.selector ?? {}, labels)) yield objectKey(each);
    });
  },
  async reconcile(world, key) {
    const job = world.jobs.at(key);
    if (job === undefined || !managers.has(job.spec.managedBy)) return;
    const pods = await controlledPods(world, job, job.spec.selector ?? {});
    if (isFinished(job) || job.metadata.deletionTimestamp !== undefined) {
      await inParallel(pods.filter(({ metadata }) => metadata.finalizers?.includes(trackingFinalizer)), (pod) => releasePod(world, pod));
      return await expire(world, job);
    }
    return await work(world, job, pods);
  },
};

/** Deletes a finished job when its time is over. */
async function expire(world: World, job: Job): Promise<number | undefined> {
  const { ttlSecondsAfterFinished: seconds } = job.spec;
  const end = job.status.conditions?.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
  if (seconds === undefined || seconds === null || end === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const ms = Date.parse(end.lastTransitionTime ?? "") + seconds * 1_000 - world.clock.now();
  if (ms > 0) return ms;
  await world.jobs.delete(job, { propagationPolicy: "Foreground" });
  return undefined;
}

/** Counts, decides, creates or deletes pods, and writes the status before it lets counted pods go: no pod counts twice or never. */
async function work(world: World, job: Job, pods: readonly Pod[]): Promise<number | undefined> {
  const now = world.clock.now(), isSuspended = job.spec.suspend === true;
  const startTime = isSuspended ? undefined : job.status.startTime ?? timestampOf(now);
  const started = { ...job, status: withStart(job.status, startTime) }, account = accountOf(started, pods);
  const outcome = targetOf(job) ?? outcomeOf(started, account, now);
  let { active } = account, waitMs: number | undefined;
  if (outcome !== undefined || isSuspended) {
    await inParallel(active, (pod) => world.pods.delete(pod));
    active = [];
  } else [active, waitMs] = await resize(world, started, account, pods);
  // A pod that was deleted here counts when it has gone.
  const isEmptying = [...world.pods.controlledBy(job.metadata.uid ?? "")].some(isTerminating);
  // A finished job has no uncounted pods: they are let go first, and the end is written when they are.
  const conditions = conditionsOf(world, started, outcome, !isEmptying && account.ended.length === 0);
  const isDone = conditions.some(({ type, status }) => status === "True" && type === "Complete");
  const status = {
    ...started.status,
    ...accountStatus(started, account, active.length),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(isDone ? { completionTime: timestampOf(now) } : {}),
  } as Job["status"];
  if (!sameStatus(status, job.status)) await world.jobs.updateStatus({ ...job, status });
  await inParallel(account.ended, (pod) => releasePod(world, pod));
  const deadline = outcome === undefined ? msUntilDeadline(started, now) : undefined;
  const waits = [waitMs, deadline].filter((ms) => ms !== undefined);
  return waits.length === 0 ? undefined : Math.max(1, waits.reduce((a, b) => Math.min(a, b)));
}

function withStart({ startTime: _, ...status }: Job["status"], startTime: string | undefined): Job["status"] {
  return { ...status, ...(startTime === undefined ? {} : { startTime }) };
}

/** The end that was decided before, while pods were still there. */
function targetOf({ status }: Job): Outcome | undefined {
  const target = status.conditions?.find(({ type, status: value }) =>
    value === "True" && (type === "FailureTarget" || type === "SuccessCriteriaMet")
  );
  if (target === undefined) return undefined;
  return { type: target.type === "FailureTarget" ? "Failed" : "Complete", reason: target.reason ?? "", message: target.message ?? "" };
}

/** Creates or deletes pods. Resolves with those that are active then, and the milliseconds until a failed one is replaced. */
async function resize(
  world: World,
  job: Job,
  account: Account,
  pods: readonly Pod[],
): Promise<readonly [readonly Pod[], number | undefined]> {
  const { spec } = job, { active, succeeded, failedIndexes, completedIndexes } = account, parallelism = spec.parallelism ?? 1;
  const completions = spec.completions ?? undefined,
    rest = completions === undefined ? Infinity : completions - succeeded - failedIndexes.size;
  const wanted = completions === undefined && succeeded > 0
    ? Math.min(active.length, parallelism)
    : Math.min(parallelism, Math.max(0, rest));
  const extra = victims(active, active, Math.max(0, active.length - wanted));
  await inParallel(extra, (pod) => world.pods.delete(pod));
  const kept = active.filter((pod) => !extra.includes(pod));
  const replaced = spec.podReplacementPolicy === "Failed" ? account.terminating : 0, missing = wanted - kept.length - replaced;
  if (missing <= 0) return [kept, undefined];
  const waitMs = retryMs(pods, account.failed, world.clock.now());
  if (waitMs > 0) return [kept, waitMs];
  const taken = new Set([...completedIndexes, ...failedIndexes, ...kept.map((pod) => indexOf(pod) ?? -1)]);
  const indexes = isIndexed(job) ? missingIndexes(job, taken, missing) : Array.from({ length: missing }, () => undefined);
  await inParallel(indexes, (index) => createJobPod(world, job, index, failuresOf(pods, index)));
  return [[...world.pods.controlledBy(job.metadata.uid ?? "")].filter(isActive), undefined];
}

/** How often pods of an index have failed, as far as their pods are there. */
function failuresOf(pods: readonly Pod[], index: number | undefined): number {
  const ofIndex = pods.filter((pod) => index !== undefined && indexOf(pod) === index);
  return ofIndex.reduce((most, pod) => Math.max(most, failuresBefore(pod) + 1), 0);
}

/** Milliseconds until pods are created again after failures. */
function retryMs(pods: readonly Pod[], failed: number, now: number): number {
  const failures = pods.filter(({ status }) => status.phase === "Failed");
  if (failures.length === 0) return 0;
  const last = failures.map(endOf).reduce((a, b) => Math.max(a, b));
  return last + Math.min(retryMsMax, retryMsMin * 2 ** Math.max(0, Math.min(failed, 20) - 1)) - now;
}

/** The conditions with the decision, and with the end once no pod is left. */
function conditionsOf(world: World, job: Job, outcome: Outcome | undefined, isOver: boolean): readonly Condition[] {
  const time = timestampOf(world.clock.now()), made = new Map((job.status.conditions ?? []).map((each) => [each.type, each]));
  const set = (type: string, status: string, reason: string, message: string) => {
    if (made.get(type)?.status === status) return false;
    made.set(type, { type, status, reason, message, lastProbeTime: time, lastTransitionTime: time } as Condition);
    return true;
  };
  const { events } = world.context;
  if (job.spec.suspend === true && outcome === undefined) {
    if (set("Suspended", "True", "JobSuspended", "Job suspended")) {
      events.record(job, { type: "Normal", reason: "Suspended", action: "Suspending", note: "Job suspended" });
    }
  } else if (made.get("Suspended")?.status === "True") {
    set("Suspended", "False", "JobResumed", "Job resumed");
    events.record(job, { type: "Normal", reason: "Resumed", action: "Resuming", note: "Job resumed" });
  }
  if (outcome === undefined) return [...made.values()];
  const { type, reason, message } = outcome;
  set(type === "Failed" ? "FailureTarget" : "SuccessCriteriaMet", "True", reason, message);
  if (isOver && set(type, "True", reason, message)) {
    events.record(
      job,
      type === "Complete"
        ? { type: "Normal", reason: "Completed", action: "Completing", note: "Job completed" }
        : { type: "Warning", reason, action: "Failing", note: message },
    );
  }
  return [...made.values()];
}
