/** CronJobs: jobs at the times of a schedule (upstream: pkg/controller/cronjob). */
import { StatusError } from "../../../plugin.ts";
import { reasonOf, sameValue } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import { isNamespaceEnding, type Reconciler } from "../world/reconciler.ts";
import { timestampOf } from "../world/time.ts";
import type { World } from "../world/world.ts";
import { controllerReference } from "./controlled-pods.ts";
import { lastDue, readSchedule, type Schedule } from "./cron-schedule.ts";
import { hasCondition, isFinished, type Job } from "./job/types.ts";
import { followAll, followOwned } from "./owner-keys.ts";

type CronJob = NonNullable<ReturnType<World["cronJobs"]["at"]>>;

/** Missed times above which an event warns: most likely a clock is wrong. */
const missedMax = 100;

/** Creates the jobs of CronJobs. */
export const cronJobReconciler: Reconciler = {
  name: "cronjob",
  follow(world, add) {
    followAll(world.cronJobs, add);
    followOwned(world.jobs, "CronJob", add);
  },
  async reconcile(world, key) {
    const cron = world.cronJobs.at(key);
    if (cron === undefined) return;
    const jobs = [...world.jobs.controlledBy(cron.metadata.uid ?? "")];
    const observed = await observe(world, cron, jobs);
    await removeHistory(world, cron, jobs);
    if (cron.metadata.deletionTimestamp !== undefined || cron.spec.suspend === true) return;
    return await schedule(world, observed, jobs);
  },
};

/** Writes which jobs are active, and when one last succeeded. */
async function observe(world: World, cron: CronJob, jobs: readonly Job[]): Promise<CronJob> {
  const known = new Set((cron.status.active ?? []).map(({ uid }) => uid)), active = jobs.filter((job) => !isFinished(job));
  for (const job of jobs.filter((each) => isFinished(each) && known.has(each.metadata.uid ?? ""))) {
    const how = hasCondition(job, "Complete") ? "Complete" : "Failed";
    const note = `Saw completed job: ${job.metadata.name}, condition: ${how}`;
    world.context.events.record(cron, { type: "Normal", reason: "SawCompletedJob", action: "SawCompletedJob", note });
  }
  const present = new Set(jobs.map(({ metadata }) => metadata.uid));
  for (const { uid, name } of cron.status.active ?? []) {
    if (present.has(uid)) continue;
    const note = `Active job went missing: ${name}`;
    world.context.events.record(cron, { type: "Normal", reason: "MissingJob", action: "MissingJob", note });
  }
  const ends = jobs.filter((job) => hasCondition(job, "Complete")).map(({ status }) => status.completionTime ?? "");
  const last = [cron.status.lastSuccessfulTime ?? "", ...ends].sort().at(-1);
  // A reference has the version of the job's creation: the status does not change with each change of a job.
  const references = new Map((cron.status.active ?? []).map((each) => [each.uid, each]));
  return await withStatus(world, cron, {
    ...cron.status,
    active: active.map((job) => references.get(job.metadata.uid) ?? referenceTo(job)),
    ...(last === "" || last === undefined ? {} : { lastSuccessfulTime: last }),
  });
}

async function withStatus(world: World, cron: CronJob, { active = [], ...rest }: CronJob["status"]): Promise<CronJob> {
  const status = { ...(active.length === 0 ? {} : { active }), ...rest } as CronJob["status"];
  return sameValue(status, cron.status) ? cron : await world.cronJobs.updateStatus({ ...cron, status });
}

function referenceTo({ metadata: { name = "", namespace = "", uid = "", resourceVersion = "" } }: Job) {
  return { kind: "Job", apiVersion: "batch/v1", name, namespace, uid, resourceVersion };
}

/** Deletes the oldest finished jobs beyond the numbers that are kept. */
async function removeHistory(world: World, { spec }: CronJob, jobs: readonly Job[]): Promise<void> {
  const limits = [["Complete", spec.successfulJobsHistoryLimit ?? 3], ["Failed", spec.failedJobsHistoryLimit ?? 1]] as const;
  for (const [condition, limit] of limits) {
    const finished = jobs.filter((job) => hasCondition(job, condition))
      .toSorted((a, b) => Date.parse(a.status.startTime ?? "") - Date.parse(b.status.startTime ?? ""));
    for (const job of finished.slice(0, Math.max(0, finished.length - limit))) {
      await world.jobs.delete(job, { propagationPolicy: "Background" });
    }
  }
}

/** Creates the job of the last time that was due. Resolves with the milliseconds until the next. */
async function schedule(world: World, cron: CronJob, jobs: readonly Job[]): Promise<number | undefined> {
  const { events } = world.context,
    now = world.clock.now(),
    warn = (reason: string, note: string) => events.record(cron, { type: "Warning", reason, action: "Scheduling", note });
  let times: Schedule;
  try {
    times = scheduleOf(world, cron);
  } catch (error) {
    warn("UnparseableSchedule", `unparseable schedule: "${cron.spec.schedule}" : ${reasonOf(error)}`);
    return undefined;
  }
  const next = () => {
    const at = times.after(now);
    return at === undefined ? undefined : Math.max(1, at - now);
  };
  const { lastScheduleTime, active = [] } = cron.status, deadline = cron.spec.startingDeadlineSeconds ?? undefined;
  const from = Date.parse(lastScheduleTime ?? cron.metadata.creationTimestamp ?? "");
  const due = lastDue(times, deadline === undefined ? from : Math.max(from, now - Number(deadline) * 1_000), now);
  if (due === undefined) return next();
  if (due.missed > missedMax) {
    warn("TooManyMissedTimes", "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew");
  }
  const name = `${cron.metadata.name}-${Math.floor(due.at / 60_000)}`;
  if (jobs.some(({ metadata }) => metadata.name === name)) return next();
  if (active.length > 0 && cron.spec.concurrencyPolicy === "Forbid") {
    events.record(cron, {
      type: "Normal",
      reason: "JobAlreadyActive",
      action: "Scheduling",
      note: "Not starting job because prior execution is running and concurrency policy is Forbid",
    });
    return next();
  }
  if (cron.spec.concurrencyPolicy === "Replace") {
    for (const job of jobs.filter((each) => !isFinished(each))) await world.jobs.delete(job, { propagationPolicy: "Background" });
  }
  await createJob(world, cron, name, due.at);
  return next();
}

/** Schedules that were read, by their text and time zone. A CronJob is looked at several times for each of its times. */
const schedules = new WeakMap<World, Map<string, Schedule>>();
/** Schedules of a world that are kept. When there are more, all are read again. */
const schedulesMax = bound(1_000);

function scheduleOf(world: World, { spec: { schedule, timeZone } }: CronJob): Schedule {
  const zone = timeZone ?? "UTC", key = `${zone} ${schedule}`;
  let known = schedules.get(world);
  if (known === undefined || known.size >= schedulesMax) schedules.set(world, known = new Map());
  const found = known.get(key) ?? readSchedule(schedule, zone);
  known.set(key, found);
  return found;
}

async function createJob(world: World, cron: CronJob, name: string, at: number): Promise<void> {
  const { namespace = "" } = cron.metadata, { metadata, spec } = cron.spec.jobTemplate, { events } = world.context;
  const annotations = { ...metadata?.annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": timestampOf(at) };
  try {
    const job = await world.jobs.create(namespace, {
      metadata: { name, namespace, labels: metadata?.labels ?? {}, annotations, ownerReferences: [controllerReference(cron)] },
      spec,
      status: {},
    } as unknown as Job);
    events.record(cron, { type: "Normal", reason: "SuccessfulCreate", action: "CreatingJob", note: `Created job ${name}` });
    const active = [...(cron.status.active ?? []), referenceTo(job)];
    await withStatus(world, world.cronJobs.get(namespace, cron.metadata.name ?? "") ?? cron, {
      ...cron.status,
      active,
      lastScheduleTime: timestampOf(at),
    });
  } catch (error) {
    if (error instanceof StatusError && error.reason === "AlreadyExists") return;
    if (!isNamespaceEnding(error)) {
      events.record(cron, {
        type: "Warning",
        reason: "FailedCreate",
        action: "CreatingJob",
        note: `Error creating job: ${reasonOf(error)}`,
      });
    }
    throw error;
  }
}
