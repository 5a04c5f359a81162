import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { noMetric } from "../../core/test-context.ts";
import { validateLimitRange } from "./limit-range-rules.ts";
import type { LimitRange } from "./limit-range-schema.ts";

const context = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "v1" as const,
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
function errors(...limits: readonly object[]): readonly string[] {
  const range = { kind: "LimitRange", apiVersion: "v1", metadata: { name: "l" }, spec: { limits } } as LimitRange;
  return validateLimitRange(range, context).map((error) => fieldErrorText(error).replaceAll("spec.limits[0].", ""));
}
const claims = { type: "PersistentVolumeClaim" };

test("validateLimitRange() accepts bounds in order", () => {
  assert.deepEqual(
    errors({ ...claims, min: { storage: "1Gi" }, max: { storage: "2Gi" } }, { type: "example.com/x", max: { cpu: "1" } }),
    [],
  );
});

test("validateLimitRange() requires a known type, each once, and a bound of storage for claims", () => {
  assert.deepEqual(errors({ type: "Gadget" }), ['type: Invalid value: "Gadget": must be a standard limit type or fully qualified']);
  assert.deepEqual(errors({ type: "Pod" }, { type: "Pod" }), ['spec.limits[1].type: Duplicate value: "Pod"']);
  assert.deepEqual(errors({ ...claims, min: { "example.com/iops": "1" } }), [
    "limits: Required value: either minimum or maximum storage value is required, but neither was provided",
  ]);
  assert.deepEqual(errors({ type: "Pod", default: { cpu: "1" } }), ["default: Forbidden: may not be specified when `type` is 'Pod'"]);
});

test("validateLimitRange() checks the names of resources by type", () => {
  assert.deepEqual(errors({ type: "Container", max: { storage: "1" } }), [
    'max[storage]: Invalid value: "storage": must be a standard resource for containers',
  ]);
  assert.deepEqual(errors({ ...claims, max: { storage: "1", gadgets: "1" } }), [
    'max[gadgets]: Invalid value: "gadgets": must be a standard resource type or fully qualified',
  ]);
});

test("validateLimitRange() checks the order of bounds and defaults", () => {
  assert.deepEqual(errors({ ...claims, min: { storage: "2Gi" }, max: { storage: "1Gi" } }), [
    'min[storage]: Invalid value: "2Gi": min value 2Gi is greater than max value 1Gi',
  ]);
  assert.deepEqual(errors({ type: "Container", min: { cpu: "2" }, default: { cpu: "1" } }), [
    'default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
  ]);
});

test("validateLimitRange() compares ratios in thousandths, and in integers beyond", () => {
  const ratio = (min: string, max: string, maxLimitRequestRatio: string) =>
    errors({ type: "Container", min: { cpu: min }, max: { cpu: max }, maxLimitRequestRatio: { cpu: maxLimitRequestRatio } });
  assert.deepEqual(ratio("100m", "1", "10"), []);
  assert.deepEqual(ratio("1", "2", "3"), ['maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000']);
  assert.deepEqual(ratio("0", "2", "3"), []);
  assert.deepEqual(ratio("1500m", "2E", "2"), []);
  assert.deepEqual(errors({ type: "Container", maxLimitRequestRatio: { cpu: "900m" } }), [
    'maxLimitRequestRatio[cpu]: Invalid value: "900m": ratio 900m is less than 1',
  ]);
});

test("validateLimitRange() requires equal defaults of resources that cannot be overcommitted", () => {
  assert.deepEqual(errors({ type: "Container", default: { "example.com/gpu": "2" }, defaultRequest: { "example.com/gpu": "1" } }), [
    'defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
  ]);
});
