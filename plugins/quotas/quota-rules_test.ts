import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import { validateQuota, validateQuotaStatus, validateQuotaUpdate } from "./quota-rules.ts";
import type { ResourceQuota, ResourceQuotaSpec } from "./quota-schema.ts";

const context: HookContext = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
const quota = (spec: object, status = {}) =>
  ({ kind: "ResourceQuota", apiVersion: "v1", metadata: { name: "q" }, spec, status }) as ResourceQuota;
const errors = (spec: ResourceQuotaSpec | object) => validateQuota(quota(spec), context).map(fieldErrorText);
const select = (...matchExpressions: readonly object[]) => ({ scopeSelector: { matchExpressions } });

test("validateQuota() accepts counts, names with a domain, and amounts of bytes", () => {
  const names = [
    "configmaps",
    "count/configmaps",
    "count/deployments.apps",
    "requests.storage",
    "gold.storageclass.storage.k8s.io/requests.storage",
    "hugepages-2Mi",
    "requests.hugepages-2Mi",
    "requests.example.com/gpu",
  ];
  assert.deepEqual(errors({ hard: Object.fromEntries(names.map((name) => [name, "1"])) }), []);
  assert.deepEqual(errors({ hard: { cpu: "1500m", "requests.example.com/gpu": "500m" } }), []);
  assert.deepEqual(errors({}), []);
});

test("validateQuota() rejects unknown names, fractions of counts and negative amounts", () => {
  assert.deepEqual(errors({ hard: { gadgets: "1" } }), [
    'spec.hard[gadgets]: Invalid value: "gadgets": must be a standard resource type or fully qualified',
    'spec.hard[gadgets]: Invalid value: "gadgets": must be a standard resource for quota',
  ]);
  assert.deepEqual(errors({ hard: { storage: "1" } }), [
    'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
  ]);
  assert.deepEqual(errors({ hard: { "count/configmaps": "1500m" } }), [
    'spec.hard[count/configmaps]: Invalid value: "1500m": must be an integer',
  ]);
  assert.deepEqual(errors({ hard: { "services.nodeports": "-500m" } }), [
    'spec.hard[services.nodeports]: Invalid value: "-500m": must be greater than or equal to 0',
    'spec.hard[services.nodeports]: Invalid value: "-500m": must be an integer',
  ]);
});

test("validateQuota() rejects scopes that are unknown, in conflict, or do not fit a resource", () => {
  const scopes = (...given: readonly string[]) => errors({ scopes: given, hard: { pods: "1", configmaps: "1", "example.com/a": "1" } });
  assert.deepEqual(scopes("Odd"), ['spec.scopes: Invalid value: ["Odd"]: unsupported scope']);
  assert.deepEqual(scopes("BestEffort"), ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource']);
  assert.equal(scopes("VolumeAttributesClass").length, 2);
  assert.deepEqual(errors({ scopes: ["Terminating", "NotTerminating"] }), [
    'spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes',
  ]);
});

test("validateQuota() checks operators and values of the scope selector", () => {
  const path = "spec.scopeSelector.matchExpressions";
  assert.deepEqual(errors(select({ scopeName: "PriorityClass", operator: "In" })), [
    `${path}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
  ]);
  assert.deepEqual(errors(select({ scopeName: "VolumeAttributesClass", operator: "Exists", values: ["a"] })), [
    `${path}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
  ]);
  assert.deepEqual(errors(select({ scopeName: "PriorityClass", operator: "Like" })), [
    `${path}.operator: Invalid value: "Like": not a valid selector operator`,
  ]);
  assert.match(
    errors(select({ scopeName: "BestEffort", operator: "DoesNotExist" }))[0]!,
    /operator: Invalid value: "DoesNotExist": must be 'Exists'/,
  );
  // As upstream, the value is that of `spec.scopes`.
  assert.deepEqual(errors(select({ scopeName: "BestEffort", operator: "Exists" }, { scopeName: "NotBestEffort", operator: "Exists" })), [
    `${path}: Invalid value: null: conflicting scopes`,
  ]);
});

test("validateQuotaUpdate() keeps the set of scopes", () => {
  const update = (next: object, prior: object) => validateQuotaUpdate(quota(next), quota(prior), context).map(fieldErrorText);
  assert.deepEqual(update({ scopes: ["BestEffort", "Terminating"] }, { scopes: ["Terminating", "BestEffort", "BestEffort"] }), []);
  assert.deepEqual(update({}, { scopes: ["BestEffort"] }), ["spec.scopes: Invalid value: null: field is immutable"]);
});

test("validateQuotaStatus() checks limits and usage like the spec", () => {
  const found = validateQuotaStatus(quota({}, { hard: { gadgets: "1" }, used: { pods: "-1" } }), quota({}), context).map(fieldErrorText);
  assert.equal(found.length, 3);
  assert.equal(found[2], 'status.used[pods]: Invalid value: "-1": must be greater than or equal to 0');
});
