// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Age } from "../../core/meta/columns.ts";
import { jobs } from "./job.ts";
import { contextWith, errorsOf, make, pod, texts } from "./test-job.ts";

const prefix = "batch.kubernetes.io/";
const generated = { "controller-uid": "u", "job-name": "one", [`${prefix}controller-uid`]: "u", [`${prefix}job-name`]: "one" };

test("a job gets defaults, a selector and labels; the labels of its template are its own, unless it has some", () => {
  const { metadata, spec } = make();
  const { template, ...rest } = spec;
  assert.deepEqual(rest, {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    selector: { matchLabels: { [`${prefix}controller-uid`]: "u" } },
    manualSelector: false,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: "TerminatingOrFailed",
  });
  assert.deepEqual([template.metadata.labels, metadata.labels], [generated, generated]);
  const own = { template: { metadata: { labels: { app: "a" } }, spec: pod } };
  assert.deepEqual(make(own).metadata.labels, { ...generated, app: "a" });
  assert.deepEqual(make(own, { labels: { b: "1" } }).metadata.labels, { b: "1" });
  const manual = make({ ...own, manualSelector: true, selector: { matchLabels: { app: "a" } } });
  assert.deepEqual([manual.metadata.labels, manual.spec.template.metadata.labels], [{ app: "a" }, { app: "a" }]);
  assert.deepEqual(make({ parallelism: 3 }).spec.completions, undefined);
  assert.equal(make({ backoffLimitPerIndex: 1 }).spec.backoffLimit, 2 ** 31 - 1);
  assert.equal(make({ podFailurePolicy: { rules: [] } }).spec.podReplacementPolicy, "Failed");
});

const indexed = { completionMode: "Indexed", completions: 6 };
const rule = (each: object) => ({ podFailurePolicy: { rules: [each] } });
const success = (...rules: object[]) => ({ ...indexed, successPolicy: { rules } });
const codes = (each: object) => rule({ action: "FailJob", onExitCodes: { operator: "In", values: [1], ...each } });
const firstRule = "spec.podFailurePolicy.rules[0]", firstSuccess = "spec.successPolicy.rules[0]";
const notNegative = "must be greater than or equal to 0";

test("each field of a job is checked", () => {
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [{ parallelism: 0, completions: 0, backoffLimit: 0, managedBy: "example.com/own" }],
    [{ ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 6 }],
    [{ parallelism: -1 }, `spec.parallelism: Invalid value: -1: ${notNegative}`],
    [{ managedBy: "own" }, 'spec.managedBy: Invalid value: "own": must be a domain-prefixed path (such as "acme.io/foo")'],
    [{ managedBy: `a.b/${"c".repeat(60)}` }, "spec.managedBy: Too long: may not be more than 63 bytes"],
    [{ completionMode: "x" }, 'spec.completionMode: Unsupported value: "x": supported values: "NonIndexed", "Indexed"'],
    [{ completionMode: "Indexed", parallelism: 1 }, "spec.completions: Required value: when completion mode is Indexed"],
    [
      { ...indexed, parallelism: 100_001 },
      "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
    ],
    [{ ...indexed, maxFailedIndexes: 1 }, "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"],
    [
      { ...indexed, completions: 100_001, backoffLimitPerIndex: 1 },
      "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
    ],
    [{ backoffLimitPerIndex: 1 }, "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
    [
      { template: { metadata: {}, spec: { ...pod, restartPolicy: "Always" } } },
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      {
        ...rule({ action: "Ignore", onPodConditions: [{ type: "A" }] }),
        template: { metadata: {}, spec: { ...pod, restartPolicy: "OnFailure" } },
      },
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
    [
      { podReplacementPolicy: "TerminatingOrFailed", podFailurePolicy: { rules: [] } },
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ],
    [codes({ values: [1, 255] })],
    [codes({ operator: "" }), `${firstRule}.onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`],
    [
      codes({ containerName: "d" }),
      `${firstRule}.onExitCodes.containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template`,
    ],
    [codes({ values: [0] }), `${firstRule}.onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`],
    [
      codes({ values: [2, 1, 2] }),
      `${firstRule}.onExitCodes.values[2]: Duplicate value: 2`,
      `${firstRule}.onExitCodes.values: Invalid value: [2,1,2]: must be ordered`,
    ],
    [codes({ operator: "NotIn", values: Array.from({ length: 255 }, (_, i) => i) })],
    [
      codes({ operator: "NotIn", values: Array.from({ length: 256 }, (_, i) => i) }),
      `${firstRule}.onExitCodes.values: Too many: 256: must have at most 255 items`,
    ],
    [
      rule({ action: "FailIndex", onPodConditions: [{ type: "A" }] }),
      `${firstRule}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`,
    ],
    [rule({ action: "Count" }), `${firstRule}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`],
    [success({ succeededIndexes: "0,2-4", succeededCount: 4 }, { succeededIndexes: "" })],
    [success(), "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified"],
    [success({}), `${firstSuccess}: Required value: at least one of succeededCount or succeededIndexes must be specified`],
    [
      success({ succeededIndexes: "1,2", succeededCount: 3 }),
      `${firstSuccess}.succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)`,
    ],
    [
      success({ succeededCount: 7 }),
      `${firstSuccess}.succeededCount: Invalid value: 7: must be less than or equal to 6 (the number of specified completions)`,
    ],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(errorsOf(spec), errors, JSON.stringify(spec).slice(0, 200));
});

test("policies have at most 20 rules, and a rule 20 conditions", () => {
  const conditions = (length: number) => rule({ action: "Ignore", onPodConditions: Array(length).fill({ type: "A" }) });
  const rules = (length: number) => success(...Array(length).fill({ succeededCount: 1 }));
  assert.deepEqual([errorsOf(conditions(20)), errorsOf(rules(20))], [[], []]);
  assert.deepEqual(errorsOf(conditions(21)), [`${firstRule}.onPodConditions: Too many: 21: must have at most 20 items`]);
  assert.deepEqual(errorsOf(rules(21)), ["spec.successPolicy.rules: Too many: 21: must have at most 20 items"]);
});

test("a job must have the selector and the labels that the server generates, unless it has its own", () => {
  const template = { metadata: { labels: { "job-name": "two" } }, spec: pod };
  assert.match(errorsOf({ template })!.join(), /^spec\.template\.metadata\.labels\[job-name\]: Invalid value: .*: must be 'one'$/);
  assert.match(errorsOf({ selector: { matchLabels: { app: "a" } } })!.join(), /`selector` not auto-generated.*does not match template/);
  assert.equal(errorsOf({ manualSelector: true })!.length, 2);
});

test("the host name of the last pod of an indexed job is a label", () => {
  const name = "a".repeat(61);
  assert.deepEqual(errorsOf({ ...indexed, completions: 10 }, { name }), []);
  assert.match(errorsOf({ ...indexed, completions: 11 }, { name })![0]!, /^metadata\.name: .* will not able to create pod/);
});

/** The errors of an update: of changes to a stored job, each once. */
function updated(stored: any, changes: object, gates?: (gate: string) => boolean) {
  const next = { ...stored, spec: { ...stored.spec, ...changes } };
  return [...new Set(texts(jobs.update!(next, stored, contextWith(gates)))!.map((text) => text.replace(/Invalid value: .*: /, "")))];
}

test("an update keeps what identifies the work; completions of an indexed job change with its parallelism", () => {
  assert.deepEqual(updated(make(), { parallelism: 3, backoffLimit: 1, suspend: true }), []);
  assert.deepEqual(updated(make(), { completions: 2 }), ["spec.completions: field is immutable"]);
  assert.deepEqual(updated(make(indexed), { completions: 4, parallelism: 4 }), []);
  assert.deepEqual(updated(make(indexed), { completions: 4 }), ["spec.completions: can only be modified in tandem with spec.parallelism"]);
  for (const [key, value] of [["managedBy", "a.b/c"], ["podFailurePolicy", { rules: [] }]] as const) {
    assert.deepEqual(updated(make({ podReplacementPolicy: "Failed" }), { [key]: value }), [`spec.${key}: field is immutable`]);
  }
});

test("where the pods of a suspended job run may change until it starts, and with gates whenever it is idle, as well as resources", () => {
  const withSpec = (stored: any, spec: object) => ({
    template: { ...stored.spec.template, spec: { ...stored.spec.template.spec, ...spec } },
  });
  const elsewhere = { nodeSelector: { a: "b" }, tolerations: [{ operator: "Exists" }], affinity: { nodeAffinity: {} } };
  const more = {
    containers: make().spec.template.spec.containers.map((each: object) => ({ ...each, resources: { requests: { cpu: "1" } } })),
  };
  const error = ["spec.template: field is immutable"], all = () => true;
  const running = make(), waiting = make({ suspend: true });
  const paused = make({ suspend: true }, { status: {} });
  const idle = { ...paused, status: { startTime: "2024-01-01T00:00:00Z", conditions: [{ type: "Suspended", status: "True" }] } };
  assert.deepEqual(updated(running, withSpec(running, elsewhere)), error);
  assert.deepEqual(updated(waiting, withSpec(waiting, elsewhere)), []);
  assert.deepEqual(updated(waiting, withSpec(waiting, { affinity: { podAffinity: {} } })), error);
  assert.deepEqual(updated(waiting, withSpec(waiting, more)), error);
  assert.deepEqual(updated(idle, withSpec(idle, elsewhere)), error);
  assert.deepEqual(updated(idle, withSpec(idle, { ...elsewhere, ...more }), all), []);
  assert.deepEqual(updated(idle, withSpec(idle, { priorityClassName: "x" }), all), ["spec.template.spec: field is immutable"]);
  const busy = { ...idle, status: { ...idle.status, active: 1 } };
  assert.deepEqual(updated(busy, withSpec(busy, more), all), error);
});

test("the table shows status, completions and duration", () => {
  const cells = (spec: object, status: object, deletionTimestamp?: string) => {
    const job = make(spec), metadata = { ...job.metadata, ...(deletionTimestamp && { deletionTimestamp }) };
    return jobs.served["batch/v1"]!.columns!.slice(1, 4).map(({ cell }) => cell({ ...job, metadata, status }));
  };
  const time = "2024-01-01T00:00:00Z",
    conditions = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: "True" })) });
  assert.deepEqual(cells({}, {}), ["Running", "0/1", ""]);
  assert.deepEqual(cells({ parallelism: 3 }, { succeeded: 1 }), ["Running", "1/1 of 3", ""]);
  assert.deepEqual(cells({ parallelism: 1 }, conditions("Suspended")), ["Suspended", "0/1", ""]);
  assert.deepEqual(cells({}, conditions("FailureTarget"), time), ["Terminating", "0/1", ""]);
  const done = { ...conditions("SuccessCriteriaMet", "Complete"), startTime: time, completionTime: "2024-01-01T01:02:03Z" };
  assert.deepEqual(cells({}, done), ["Complete", "0/1", "62m"]);
  assert.deepEqual(cells({}, { startTime: time })[2], new Age(Date.parse(time)));
});

test("fields of disabled gates are dropped from a new job, and rules for indexes with them; stored ones stay", () => {
  const spec = {
    ...indexed,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 1,
    managedBy: "example.com/own",
    podReplacementPolicy: "Failed",
    ...success({ succeededCount: 1 }),
    podFailurePolicy: {
      rules: [{ action: "FailIndex", onPodConditions: [{ type: "A" }] }, { action: "Count", onPodConditions: [{ type: "A" }] }],
    },
  };
  const fields = ["backoffLimitPerIndex", "maxFailedIndexes", "managedBy", "podReplacementPolicy", "successPolicy"];
  const off = contextWith(() => false), made = make(spec, { context: off }), stored = make(spec);
  assert.deepEqual(fields.filter((field) => made.spec[field] !== undefined), []);
  assert.deepEqual(made.spec.podFailurePolicy.rules.map(({ action }: { action: string }) => action), ["Count"]);
  assert.deepEqual(jobs.prepare!(stored, stored, off), stored);
});

test("labels that a status leaves out come back from the template", () => {
  const { status } = jobs.served["batch/v1"]!.subresources!, job = make(), { labels: _, ...bare } = job.metadata;
  assert.deepEqual(status!.write!({ ...job, metadata: bare }, job, contextWith()).metadata.labels, generated);
});
