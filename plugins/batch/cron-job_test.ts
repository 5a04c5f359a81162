// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { cronJobs } from "./cron-job.ts";
import { CronJob } from "./cron-job-schema.ts";
import { locationError, scheduleError } from "./schedule.ts";
import { contextWith, pod, texts } from "./test-job.ts";

const jobTemplate = { metadata: {}, spec: { template: { metadata: {}, spec: pod } } };
/** A cron job with its defaults. `any`: the spec is partial, and may be wrong. */
function make(spec: object = {}, metadata: object = {}): any {
  const sent: any = {
    kind: "CronJob",
    apiVersion: "batch/v1",
    metadata: { name: "one", namespace: "demo", uid: "u", generation: 1, creationTimestamp: "2024-01-02T03:04:05Z", ...metadata },
    spec: { schedule: "*/5 * * * *", jobTemplate, ...spec },
    status: {},
  };
  return defaulter(CronJob)(sent, contextWith().gates);
}
const errorsOf = (spec: object, metadata: object = {}) => texts(cronJobs.create!(make(spec, metadata), contextWith()));

test("a cron job gets defaults; the template of its jobs gets those of the pod only", () => {
  const { jobTemplate: { spec: { template, ...job } }, ...rest } = make().spec;
  assert.deepEqual(rest, {
    schedule: "*/5 * * * *",
    concurrencyPolicy: "Allow",
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  assert.deepEqual([job, template.spec.dnsPolicy], [{}, "ClusterFirst"]);
});

test("each field of a cron job is checked", () => {
  const templateWith = (spec: object) => ({ jobTemplate: { metadata: {}, spec: { ...jobTemplate.spec, ...spec } } });
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{ startingDeadlineSeconds: 0, successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0, timeZone: "Etc/GMT+5" }],
    [{ schedule: "" }, "spec.schedule: Required value"],
    [{ schedule: "* *" }, 'spec.schedule: Invalid value: "* *": expected exactly 5 fields, found 2: [* *]'],
    [
      { schedule: "TZ=UTC @daily" },
      'spec.schedule: Invalid value: "TZ=UTC @daily": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [{ timeZone: "" }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    [{ timeZone: "Mars/Base" }, 'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    [{ timeZone: "a".repeat(15) }, `spec.timeZone: Invalid value: "${"a".repeat(15)}": unknown time zone ${"a".repeat(15)}`],
    [
      { timeZone: "Local" },
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
    [{ startingDeadlineSeconds: -1 }, "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"],
    [
      { concurrencyPolicy: "Queue" },
      'spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      templateWith({ selector: {}, manualSelector: true }),
      "spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated",
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
    [templateWith({ parallelism: -1 }), "spec.jobTemplate.spec.parallelism: Invalid value: -1: must be greater than or equal to 0"],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(errorsOf(spec), errors, JSON.stringify(spec));
});

test("the name of a new cron job has 52 characters at most", () => {
  const name = (length: number) => ({ name: "a".repeat(length) });
  assert.deepEqual(errorsOf({}, name(52)), []);
  assert.deepEqual(errorsOf({}, name(53)), [`metadata.name: Invalid value: "${"a".repeat(53)}": must be no more than 52 characters`]);
  const stored = make({}, { ...name(53), resourceVersion: "1" });
  assert.deepEqual(cronJobs.update!({ ...stored, spec: { ...stored.spec, suspend: true } }, stored, contextWith()), []);
});

test("an update keeps a time zone that the stored schedule has, unless it has another one, and warns", () => {
  const metadata = { resourceVersion: "1" }, stored = make({ schedule: "TZ=UTC @daily" }, metadata);
  const next = make({ schedule: "TZ=UTC @hourly" }, metadata);
  assert.deepEqual(cronJobs.update!(next, stored, contextWith()), []);
  assert.match(
    cronJobs.warn!(next, stored, contextWith()).join(),
    /^cannot use TZ or CRON_TZ in spec\.spec\.schedule, use timeZone instead/,
  );
  const both = make({ schedule: "TZ=UTC @hourly", timeZone: "UTC" }, metadata);
  assert.deepEqual(texts(cronJobs.update!(both, stored, contextWith())), [
    'spec.schedule: Invalid value: "TZ=UTC @hourly": cannot use both timeZone field and TZ or CRON_TZ in schedule',
  ]);
});

test("scheduleError() reads schedules as robfig/cron", () => {
  const good = [
    "* * * * *",
    "? 0-23/5 1,15 jan-MAR Sun",
    "*/5 0 1 1 0",
    ", * * * *",
    "@every 1h30m",
    "@weekly",
    "TZ=UTC \u20030 0 * * *",
    "+1 * * * *",
  ];
  for (const text of good) assert.equal(scheduleError(text), undefined, text);
  const atoi = (text: string, why: string) => `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": ${why}`;
  const cases: readonly (readonly [text: string, error: string])[] = [
    ["", "empty spec string"],
    ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["*/-2 * * * *", "negative number (-2) not allowed: -2"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["x * * * *", atoi("x", "invalid syntax")],
    ["99999999999999999999 * * * *", atoi("99999999999999999999", "value out of range")],
    ["@reboot", "unrecognized descriptor: @reboot"],
    ["@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ["TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"],
    ["CRON_TZ=Mars 0 * * * *", "provided bad location Mars: unknown time zone Mars"],
  ];
  for (const [text, error] of cases) assert.equal(scheduleError(text), error, text);
});

test("locationError() knows the names of the time zone database, in their case", () => {
  for (const name of ["", "UTC", "Local", "Europe/Berlin", "America/Argentina/Buenos_Aires", "US/Pacific", "GB-Eire"]) {
    assert.equal(locationError(name), undefined, name);
  }
  for (const name of ["utc", "Europe", "europe/berlin", "+0500", "constructor", "Abidjan", "Berlin London"]) {
    assert.equal(locationError(name), `unknown time zone ${name}`);
  }
  assert.deepEqual([locationError("../UTC"), locationError("/UTC")], Array(2).fill("time: invalid location name"));
});

test("the table of cron jobs shows schedule, zone, suspension and times", () => {
  const cells = (spec: object, status: object) =>
    cronJobs.served["batch/v1"]!.columns!.slice(1, 6).map(({ cell }) => cell({ ...make(spec), status }));
  assert.deepEqual(cells({}, {}), ["*/5 * * * *", "<none>", "False", 0, "<none>"]);
  const active = [{ kind: "Job", name: "a" }];
  assert.deepEqual(cells({ timeZone: "UTC", suspend: true }, { active }), ["*/5 * * * *", "UTC", "True", 1, "<none>"]);
});
