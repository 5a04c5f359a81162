// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { controllerRevisions } from "./controller-revision.ts";
import { daemonSets } from "./daemon-set.ts";
import { created, hookContext, make, statusErrors, template } from "./test-objects.ts";

const key = "deprecated.daemonset.template.generation";

test("each field of a DaemonSet is checked", () => {
  const rolling = (rollingUpdate: object) => ({ updateStrategy: { rollingUpdate } }), at = "spec.updateStrategy.rollingUpdate";
  const notSelected = 'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [rolling({ maxUnavailable: "0%", maxSurge: "30%" })],
    [{ selector: null }, notSelected],
    [{ selector: {} }, "spec.selector: Invalid value: {}: empty selector is invalid for daemonset"],
    [{ selector: { matchLabels: { a: "c" } } }, notSelected],
    [rolling({ maxSurge: 1 }), `${at}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`],
    [rolling({ maxUnavailable: 0 }), `${at}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`],
    [
      { updateStrategy: { type: "Odd" } },
      'spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
    [{ updateStrategy: { type: "OnDelete", rollingUpdate: { maxUnavailable: "odd" } } }],
    [{ minReadySeconds: -1 }, "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(created(daemonSets, spec), errors, JSON.stringify(spec));
  assert.deepEqual(statusErrors(daemonSets, { numberReady: 5, numberAvailable: -1 }), [
    "status.numberAvailable: Invalid value: -1: must be greater than or equal to 0",
  ]);
});

test("the annotation of a DaemonSet counts changes of its template", () => {
  const of = (object: any) => object.metadata.annotations[key];
  const made = daemonSets.prepare!(make(daemonSets), undefined, hookContext());
  assert.equal(of(made), "1");
  const sent = (text: string) => ({ ...made, metadata: { ...made.metadata, annotations: { [key]: text } } });
  assert.equal(of(daemonSets.prepare!(sent("9"), undefined, hookContext())), "9", "at the creation the client's");
  assert.equal(of(daemonSets.prepare!(sent("9"), made, hookContext())), "1", "later the stored one");
  const other = { ...sent("9"), spec: { ...made.spec, template: { ...template, metadata: { labels: { a: "b", c: "d" } } } } };
  assert.equal(of(daemonSets.prepare!(other, made, hookContext())), "2");
  assert.throws(() => make(daemonSets, {}, { metadata: { annotations: { [key]: "first" } } }), /parsing "first": invalid syntax/);
  assert.throws(() => make(daemonSets, {}, { metadata: { annotations: { [key]: "9223372036854775808" } } }), /value out of range/);
});

test("the data of a ControllerRevision is an object and does not change", () => {
  const make = (data: unknown, revision = 1): any => ({ metadata: { name: "a", namespace: "b", uid: "u" }, data, revision });
  const errors = (data: unknown, revision = 1) => controllerRevisions.create!(make(data, revision), hookContext()).map(fieldErrorText);
  assert.deepEqual(errors({}), []);
  assert.deepEqual(errors(null, -1), [
    "revision: Invalid value: -1: must be greater than or equal to 0",
    "data: Required value: data is mandatory",
  ]);
  assert.deepEqual(errors([1]), ["data: Required value: data must be a valid JSON object"]);
  const changed = controllerRevisions.update!(make({ a: 2 }), make({ a: 1 }), hookContext()).map(fieldErrorText);
  assert.equal(changed.at(-1), 'data: Invalid value: {"a":2}: field is immutable');
});
