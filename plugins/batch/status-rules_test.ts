// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countIndexes, sharedIndex } from "./indexes.ts";
import { validateJobStatus } from "./status-rules.ts";
import { contextWith, make, texts } from "./test-job.ts";

const time = "2024-01-01T00:00:00Z", later = "2024-01-01T01:00:00Z";
const conditions = (...types: string[]) => types.map((type) => ({ type, status: "True" }));
const indexed = { completionMode: "Indexed", completions: 6, parallelism: 6, backoffLimitPerIndex: 1 };

/** The errors of a write of `next` over `prior`. */
function checked(next: object, prior: object = {}, spec: object = {}) {
  const job = make(spec);
  return texts(validateJobStatus({ ...job, status: next as any }, { ...job, status: prior as any }, contextWith().gates));
}
const wrong = (text: string) => [`status.conditions: Invalid value: ${text}`];

test("a job ends by its conditions in their order, with its times, and without pods", () => {
  const complete = { conditions: conditions("SuccessCriteriaMet", "Complete"), startTime: time, completionTime: later };
  assert.deepEqual(checked(complete), []);
  assert.deepEqual(checked({ conditions: conditions("FailureTarget", "Failed"), startTime: time }), []);
  assert.deepEqual(checked({ ...complete, conditions: conditions("Complete") }), [
    ...wrong("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
  ]);
  assert.deepEqual(checked({ conditions: conditions("Failed"), startTime: time }), [
    ...wrong("cannot set Failed=True condition without the FailureTarget=true condition"),
  ]);
  assert.deepEqual(checked({ ...complete, completionTime: undefined }), [
    "status.completionTime: Required value: completionTime is required for Complete jobs",
  ]);
  assert.deepEqual(checked({ ...complete, completionTime: time, startTime: later }), [
    `status.completionTime: Invalid value: "${time}": must be equal to or after \`startTime\``,
  ]);
  assert.deepEqual(checked({ ...complete, active: 1, terminating: 2, uncountedTerminatedPods: { failed: ["a"] } }), [
    "status.active: Invalid value: 1: active>0 is invalid for finished job",
    'status.uncountedTerminatedPods: Invalid value: {"failed":["a"]}: must be empty for finished job',
    "status.terminating: Invalid value: 2: terminating>0 is invalid for finished job",
  ]);
  assert.deepEqual(checked({ ...complete, startTime: undefined }, {}, { suspend: true, completions: 0 }), []);
});

test("what is wrong already may stay while other parts change", () => {
  const failed = { conditions: conditions("Failed") };
  assert.deepEqual(checked({ ...failed, failed: 1 }, failed), []);
});

test("ends, counts and times are kept", () => {
  assert.deepEqual(checked({ failed: 1 }, { failed: 2, conditions: conditions("FailureTarget") }), [
    ...wrong("cannot disable the terminal FailureTarget=True condition"),
    "status.failed: Invalid value: 1: cannot decrease the failed counter",
  ]);
  assert.deepEqual(checked({ succeeded: 1 }, { succeeded: 2 }), [
    "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter",
  ]);
  assert.deepEqual(checked({ succeeded: 1 }, { succeeded: 2 }, indexed), []);
  assert.deepEqual(checked({ startTime: later }, { startTime: time }), [
    `status.startTime: Invalid value: "${later}": field is immutable for unsuspended job once set`,
  ]);
  const resumed = { startTime: later, conditions: [{ type: "Suspended", status: "False" }] };
  assert.deepEqual(checked(resumed, { startTime: time, conditions: conditions("Suspended") }), []);
});

test("indexes are of indexed jobs, in order, and not both completed and failed", () => {
  assert.deepEqual(checked({ completedIndexes: "0-3,5", failedIndexes: "4" }, {}, indexed), []);
  assert.deepEqual(checked({ completedIndexes: "0-3,5", failedIndexes: "2" }, {}, indexed), [
    'status.failedIndexes: Invalid value: "2": failedIndexes and completedIndexes overlap at index: 2',
  ]);
  assert.deepEqual(checked({ completedIndexes: "0" }), [
    'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
  ]);
});

test("countIndexes() counts indexes, or names the part that is wrong; sharedIndex() leaves such parts out", () => {
  const cases: readonly (readonly [text: string, expected: number | string])[] = [
    ["", 0],
    ["0,2-4,+5", 5],
    ["00003", 1],
    ["6", 'too large index: "6"'],
    ["1-6", 'too large index: "6"'],
    ["99999999999999999999", 'cannot convert string to integer for index: "99999999999999999999"'],
    ["2,1", "non-increasing order, previous: 2, current: 1"],
    ["3-3", "non-increasing order, previous: 3, current: 3"],
    ["-1", 'cannot convert string to integer for index: ""'],
    ["1,,2", 'cannot convert string to integer for index: ""'],
    ["1-2-3", "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'"],
  ];
  for (const [text, expected] of cases) {
    const counted = countIndexes(text, 6);
    assert.equal("error" in counted ? counted.error : counted.count, expected, text);
  }
  assert.deepEqual([sharedIndex("0-2,x,5", "3,4-5", 6), sharedIndex("0,2", "1,3", 6), sharedIndex("", "1", 6)], [5, undefined, undefined]);
});
