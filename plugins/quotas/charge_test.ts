import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { type Charge, chargeTo } from "./charge.ts";
import type { ResourceQuota } from "./quota-schema.ts";
import { objectOf, quotaOf } from "./test-quota.ts";
import { usageOf } from "./usage.ts";

const settings = { names: defaultNames, gates: () => true, seconds: () => 0 };
const create: Charge = { usage: usageOf("", "configmaps", settings)!, next: objectOf("a"), prior: undefined, subresource: "" };
const claim = (storage: string, more: object = {}) =>
  objectOf("a", { spec: { resources: { requests: { storage } }, ...more }, status: {} });
const resize = (from: string, to: string, subresource = ""): Charge => ({
  usage: usageOf("", "persistentvolumeclaims", settings)!,
  next: claim(to),
  prior: claim(from),
  subresource,
});
function used(quotas: readonly ResourceQuota[], charge: Charge): unknown {
  const result = chargeTo(quotas, charge);
  return "refused" in result ? result.refused : result.quotas.map(({ status }) => status.used);
}

test("chargeTo() adds to all limits that the object concerns, and to no others", () => {
  const quotas = [
    quotaOf("q", { configmaps: "3", secrets: "1" }, { configmaps: "2", secrets: "1" }),
    quotaOf("r", { pods: "1" }, { pods: "0" }),
  ];
  assert.deepEqual(used(quotas, create), [{ configmaps: "3", secrets: "1" }, { pods: "0" }]);
  const result = chargeTo(quotas, create);
  assert.ok("quotas" in result && result.quotas[1] === quotas[1], "a quota that is not concerned is the same value");
});

test("chargeTo() rejects with the exceeded limits of the first quota, in the order of their names", () => {
  const quota = quotaOf("q", { "count/configmaps": "2", configmaps: "1", secrets: "0" }, {
    "count/configmaps": "2",
    configmaps: "2",
    secrets: "0",
  });
  assert.equal(
    used([quota], create),
    "exceeded quota: q, requested: configmaps=1,count/configmaps=1, used: configmaps=2,count/configmaps=2, limited: configmaps=1,count/configmaps=2",
  );
});

test("chargeTo() rejects while the usage is not known, and ignores quotas without limits in force", () => {
  assert.equal(used([quotaOf("q", { configmaps: "3" }, {})], create), "status unknown for quota: q, resources: configmaps");
  assert.deepEqual(used([quotaOf("q", { configmaps: "0" }, undefined)], create), [undefined]);
});

test("chargeTo() adds only the increase of an update", () => {
  const quota = quotaOf("q", { "requests.storage": "3Gi" }, { "requests.storage": "1Gi" });
  assert.deepEqual(used([quota], resize("1Gi", "3Gi")), [{ "requests.storage": "3Gi" }]);
  assert.deepEqual(used([quota], resize("3Gi", "1Gi")), [{ "requests.storage": "1Gi" }]);
  assert.equal(
    used([quota], resize("1Gi", "4Gi")),
    "exceeded quota: q, requested: requests.storage=3Gi, used: requests.storage=1Gi, limited: requests.storage=3Gi",
  );
});

test("chargeTo() accepts an update without an increase although the limit is exceeded, and a status in any case", () => {
  const quota = quotaOf("q", { "requests.storage": "1Gi" }, { "requests.storage": "2Gi" });
  assert.deepEqual(used([quota], resize("2Gi", "2Gi")), [{ "requests.storage": "2Gi" }]);
  assert.deepEqual(used([quota], resize("2Gi", "3Gi", "status")), [{ "requests.storage": "3Gi" }]);
});

test("chargeTo() charges a claim as a whole when it comes into the scopes of a quota", () => {
  const quota = quotaOf("q", { persistentvolumeclaims: "1", "requests.storage": "9Gi" }, {
    persistentvolumeclaims: "0",
    "requests.storage": "0",
  }, {
    scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator: "In", values: ["gold"] }] },
  });
  const classed: Charge = { ...resize("1Gi", "1Gi"), next: claim("1Gi", { volumeAttributesClassName: "gold" }) };
  assert.deepEqual(used([quota], classed), [{ persistentvolumeclaims: "1", "requests.storage": "1Gi" }]);
  assert.deepEqual(used([quota], resize("1Gi", "2Gi")), [{ persistentvolumeclaims: "0", "requests.storage": "0" }]);
});

test("an object that leaves out what a quota requires is refused before the quota is charged", () => {
  const usage = { ...create.usage, missing: () => "must specify cpu for: c" };
  const quotas = [quotaOf("q", { configmaps: "3" }, { configmaps: "2" })];
  assert.equal(used(quotas, { ...create, usage }), "failed quota: q: must specify cpu for: c");
  assert.deepEqual(used([quotaOf("q", { secrets: "1" }, { secrets: "0" })], { ...create, usage }), [{ secrets: "0" }]);
});
