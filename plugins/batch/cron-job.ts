import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  invalid,
  nameColumn,
  notSupported,
  required,
  type Resource,
} from "../../plugin.ts";
import { age, coveredByRule, type Gates, metaRulesOf, type Names, utf8Length, validateObjectMetaUpdate } from "../../toolbox.ts";
import { notNegative, validateRequiredEnum } from "../shared/pod/rules.ts";
import { optionsForUpdate } from "../shared/pod/stored-options.ts";
import { optionsForCreate, type ValidationOptions } from "../shared/pod/validation-options.ts";
import { selectorCell } from "../shared/selector-text.ts";
import { containerColumns, selectorColumn } from "../shared/workloads/columns.ts";
import { cronJobNameBytesMax } from "./bounds.ts";
import { CronJob, type CronJobSpec } from "./cron-job-schema.ts";
import { withoutDisabled } from "./job.ts";
import { validateJobSpec } from "./job-rules.ts";
import { warnOfJobSpec, warnOfName } from "./job-warnings.ts";
import { locationError, scheduleError } from "./schedule.ts";

const groupVersion = "batch/v1";

const columns: readonly Column<CronJob>[] = [
  nameColumn,
  { name: "Schedule", type: "string", description: "When jobs are created.", cell: ({ spec }) => spec.schedule },
  {
    name: "Timezone",
    type: "string",
    description: "The time zone of the schedule.",
    cell: ({ spec: { timeZone = "<none>" } }) => timeZone,
  },
  {
    name: "Suspend",
    type: "boolean",
    description: "Whether no jobs are created.",
    cell: ({ spec: { suspend } }) => suspend === undefined ? "<unset>" : suspend ? "True" : "False",
  },
  { name: "Active", type: "integer", description: "How many jobs run.", cell: ({ status: { active = [] } }) => active.length },
  {
    name: "Last Schedule",
    type: "string",
    description: "The time since the last job was created.",
    cell: ({ status: { lastScheduleTime } }) => lastScheduleTime == null ? "<none>" : age(lastScheduleTime),
  },
  ageColumn,
  ...containerColumns<CronJob>(({ spec }) => spec.jobTemplate.spec.template.spec),
  selectorColumn<CronJob>(({ spec }) => selectorCell(spec.jobTemplate.spec.selector)),
];

function validateSchedule(schedule: string, timeZone: string | undefined, prior: CronJobSpec | undefined): readonly FieldError[] {
  const path = "spec.schedule", error = scheduleError(schedule), hasZone = schedule.includes("TZ");
  const mayHaveZone = prior !== undefined && prior.schedule.includes("TZ");
  return [
    ...(error === undefined ? [] : [invalid(path, schedule, error)]),
    ...(mayHaveZone && hasZone && timeZone !== undefined
      ? [invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")]
      : []),
    ...(!mayHaveZone && hasZone ? [invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")] : []),
  ];
}

function validateTimeZone(timeZone: string | undefined): readonly FieldError[] {
  if (timeZone === undefined) return [];
  const wrong = (text: string): FieldError => ({ ...invalid("spec.timeZone", timeZone, text), quoted: "json" });
  if (timeZone === "") return [wrong("timeZone must be nil or non-empty string")];
  const isPart = (part: string) => part !== "." && part !== ".." && !part.startsWith("-") && /^[-A-Za-z._0-9+]{1,14}$/.test(part);
  if (!timeZone.split("/").every(isPart)) return [wrong(`unknown time zone ${timeZone}`)];
  const error = locationError(timeZone), explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    ...(timeZone.toLowerCase() === "local" ? [wrong(explicit)] : []),
    ...(error === undefined ? [] : [wrong(error)]),
  ];
}

/** Checks the template of jobs. The selector is generated for each job. */
function validateTemplate({ jobTemplate: { spec } }: CronJobSpec, options: ValidationOptions, names: Names): readonly FieldError[] {
  const path = "spec.jobTemplate.spec", { selector, manualSelector } = spec;
  return [
    ...validateJobSpec(spec, path, options, names),
    ...(selector === undefined ? [] : [invalid(`${path}.selector`, selector, "`selector` will be auto-generated")]),
    ...(manualSelector === true ? [notSupported(`${path}.manualSelector`, true, ["nil", "false"])] : []),
  ];
}

function validateSpec(spec: CronJobSpec, prior: CronJobSpec | undefined, options: ValidationOptions, names: Names): readonly FieldError[] {
  const hasSameZone = prior !== undefined && prior.timeZone === spec.timeZone;
  return [
    ...(spec.schedule === "" ? [coveredByRule(required("spec.schedule", ""))] : validateSchedule(spec.schedule, spec.timeZone, prior)),
    ...notNegative(spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds"),
    ...(hasSameZone ? [] : validateTimeZone(spec.timeZone)),
    ...validateRequiredEnum(spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"], "spec.concurrencyPolicy"),
    ...validateTemplate(spec, options, names),
    ...notNegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit"),
    ...notNegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit"),
  ];
}

/** Names of jobs end with eleven characters more than that of their cron job. Cron jobs of old releases may have longer names. */
function validateName(name = ""): readonly FieldError[] {
  if (utf8Length(name) <= cronJobNameBytesMax) return [];
  return [invalid("metadata.name", name, `must be no more than ${cronJobNameBytesMax} characters`)];
}

function prepare(next: CronJob, prior: CronJob | undefined, gates: Gates): CronJob {
  const { jobTemplate } = next.spec, spec = withoutDisabled(jobTemplate.spec, prior?.spec.jobTemplate.spec, gates);
  return spec === jobTemplate.spec ? next : { ...next, spec: { ...next.spec, jobTemplate: { ...jobTemplate, spec } } };
}

function warn({ metadata, spec }: CronJob, prior: CronJob | undefined, { names, subresource }: HookContext): readonly string[] {
  if (subresource === "status") return [];
  const isSame = prior !== undefined && metadata.generation === prior.metadata.generation;
  const zone = "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see " +
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
  return [
    ...(prior === undefined ? warnOfName(metadata.name) : []),
    ...(isSame ? [] : warnOfJobSpec(spec.jobTemplate.spec, "spec.jobTemplate.spec", names)),
    ...(prior !== undefined && spec.schedule.includes("TZ") ? [zone] : []),
  ];
}

export const cronJobs: Resource<CronJob> = defineResource({
  kind: "CronJob",
  scope: "Namespaced",
  shortNames: ["cj"],
  categories: ["all"],
  summary: "A schedule on which jobs are created.",
  storedAs: groupVersion,
  storedUnder: "cronjobs",
  served: {
    [groupVersion]: {
      schema: CronJob,
      introduced: "1.21",
      columns,
      subresources: { status: { write: (next, prior) => ({ ...next, spec: prior.spec }), update: () => [], leaves: ["spec"] } },
    },
  },
  strategy: { generation: true, coreFinalizers: true },
  prepare: (next, prior, { gates }) => prepare(next, prior, gates),
  create: ({ metadata, spec }, { names, gates }) => [
    ...validateSpec(spec, undefined, optionsForCreate(gates), names),
    ...validateName(metadata.name),
  ],
  update: (next, prior, { names, gates }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(cronJobs, names)),
    ...validateSpec(next.spec, prior.spec, optionsForUpdate(prior.spec.jobTemplate.spec.template, names, gates), names),
  ],
  warn,
});
