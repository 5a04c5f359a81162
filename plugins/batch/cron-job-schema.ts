import { boolean, field, type Infer, int32, int64, list, object, ObjectReference, oneOf, string, structsOf, time } from "../../plugin.ts";
import { named, ObjectMeta } from "../../toolbox.ts";
import { JobSpec } from "./job-schema.ts";

const home = "batch/v1";
const struct = structsOf(home);

const JobTemplateSpec = struct("JobTemplateSpec", {
  metadata: field(1, ObjectMeta, "The labels and annotations of the jobs. Other metadata has no effect.", { written: "always" }),
  spec: field(2, JobSpec, "What the jobs do. The server completes each job, not the template.", { written: "always" }),
}, { doc: "The template of jobs." });

const CronJobSpec = struct("CronJobSpec", {
  schedule: field(
    1,
    string,
    "When jobs are created: minute, hour, day of the month, month and day of the week, or a word such as @daily.",
    {
      required: true,
    },
  ),
  timeZone: field(8, string, "The time zone of the schedule, such as Europe/Berlin. Absent: that of the controller.", { pointer: true }),
  startingDeadlineSeconds: field(2, int64, "How many seconds late a job may be created. Absent: any number.", { pointer: true }),
  concurrencyPolicy: field(
    3,
    named("v1.ConcurrencyPolicy", oneOf("Allow", "Forbid", "Replace")),
    "What happens while an earlier job runs: both run (Allow, the default), the new one is left out (Forbid), or it replaces the earlier one (Replace).",
    { unpublishedDefault: "Allow", zeroIsAbsent: true },
  ),
  suspend: field(4, boolean, "Whether no jobs are created. Default false.", { pointer: true, unpublishedDefault: false }),
  jobTemplate: field(5, JobTemplateSpec, "The template of the jobs.", { required: true }),
  successfulJobsHistoryLimit: field(6, int32, "How many successful jobs are kept. Default 3.", { pointer: true, unpublishedDefault: 3 }),
  failedJobsHistoryLimit: field(7, int32, "How many failed jobs are kept. Default 1.", { pointer: true, unpublishedDefault: 1 }),
}, { doc: "When jobs are created, and which." });
export type CronJobSpec = Infer<typeof CronJobSpec>;

const CronJobStatus = struct("CronJobStatus", {
  active: field(1, list(ObjectReference), "The jobs that run."),
  lastScheduleTime: field(4, time, "When a job was last created.", { pointer: true }),
  lastSuccessfulTime: field(5, time, "When a job last completed.", { pointer: true }),
}, { doc: "What a controller has done for the schedule." });

export const CronJob = object("CronJob", {
  spec: field(2, CronJobSpec, "When jobs are created, and which.", { required: true }),
  status: field(3, CronJobStatus, "What a controller has done for the schedule.", { written: "always" }),
}, { package: home, doc: "A schedule on which a controller creates jobs." });
export type CronJob = Infer<typeof CronJob>;
