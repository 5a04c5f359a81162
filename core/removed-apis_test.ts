import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "./names.ts";
import { removedApis, RemovedKinds } from "./removed-apis.ts";

test("RemovedKinds finds a removal by group version and kind, spelled with the names of the server", () => {
  const kinds = new RemovedKinds({ ...defaultNames, domain: "example.org" });
  assert.equal(kinds.get("storage.example.org/v1beta1", "CSIDriver")?.removed, "1.22");
  assert.deepEqual(kinds.get("storage.example.org/v1beta1", "CSIStorageCapacity")?.replacements, ["storage.example.org/v1"]);
  assert.equal(kinds.get("storage.k8s.io/v1beta1", "CSIDriver"), undefined);
  assert.equal(kinds.get("batch/v1beta1", "CronJob")?.removed, "1.25");
  for (const [groupVersion, kind] of [["batch/v1", "CronJob"], ["batch/v1beta1", "Job"], ["", ""], ["constructor", "x"]] as const) {
    assert.equal(kinds.get(groupVersion, kind), undefined);
  }
});

test("way() goes through each version to the preferred one, or to the version that is asked for", () => {
  const kinds = new RemovedKinds(), flow = "flowcontrol.apiserver.k8s.io";
  assert.deepEqual(kinds.way("extensions/v1beta1", "Ingress"), ["networking.k8s.io/v1"]);
  assert.deepEqual(kinds.way("extensions/v1beta1", "Ingress", "networking.k8s.io/v1beta1"), ["networking.k8s.io/v1beta1"]);
  assert.deepEqual(kinds.way(`${flow}/v1beta1`, "FlowSchema"), [`${flow}/v1beta2`, `${flow}/v1`]);
  assert.deepEqual(kinds.way(`${flow}/v1beta1`, "FlowSchema", `${flow}/v1beta3`), [`${flow}/v1beta2`, `${flow}/v1beta3`]);
  assert.deepEqual(kinds.way("extensions/v1beta1", "PodSecurityPolicy"), ["policy/v1beta1"]);
  assert.deepEqual(kinds.way("apps/v1", "Deployment"), []);
  assert.deepEqual(kinds.way("apps/v1", "Deployment", "apps/v1"), []);
  assert.equal(kinds.way("apps/v1", "Deployment", "apps/v1beta2"), undefined);
  assert.equal(kinds.way("batch/v1beta1", "CronJob", "apps/v1"), undefined);
});

test("replacementOf() is a version, or what to use instead of a kind without one", () => {
  const kinds = new RemovedKinds();
  assert.equal(kinds.replacementOf("flowcontrol.k8s.io/v1beta1", "FlowSchema"), "flowcontrol.k8s.io/v1");
  assert.equal(kinds.replacementOf("extensions/v1beta1", "PodSecurityPolicy"), "pod security admission");
});

test("each removal has a replacement or says what to use instead, and a kind is removed from a version once", () => {
  for (const { groupVersion, replacements, instead } of removedApis) {
    assert.equal(replacements.length === 0, instead !== undefined, groupVersion);
  }
  const keys = removedApis.flatMap(({ groupVersion, kinds }) => kinds.map((kind) => `${groupVersion} ${kind}`));
  assert.equal(new Set(keys).size, keys.length);
});

test("RemovedKinds of a release has its removals and earlier ones", () => {
  const kinds = new RemovedKinds(defaultNames, "1.27"), flow = "flowcontrol.apiserver.k8s.io";
  assert.deepEqual(kinds.way(`${flow}/v1beta1`, "FlowSchema"), [`${flow}/v1beta2`]);
  assert.deepEqual(kinds.way(`${flow}/v1beta2`, "FlowSchema"), []);
  assert.equal(kinds.get("storage.k8s.io/v1beta1", "CSIStorageCapacity")?.removed, "1.27");
});
