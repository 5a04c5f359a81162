import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { deprecatedNodeLabel, topologySuccessor } from "./node-labels.ts";

test("deprecatedNodeLabel() returns upstream's warning, with the platform's names", () => {
  assert.equal(deprecatedNodeLabel("beta.kubernetes.io/os", defaultNames), 'deprecated since v1.14; use "kubernetes.io/os" instead');
  assert.equal(deprecatedNodeLabel("app.kubernetes.io/created-by", defaultNames), "deprecated since v1.9");
  for (const key of ["kubernetes.io/os", "constructor", "__proto__", ""]) assert.equal(deprecatedNodeLabel(key, defaultNames), undefined);
  const names = { domain: "example.com", platform: "other" };
  assert.equal(deprecatedNodeLabel("beta.kubernetes.io/os", names), undefined);
  assert.equal(deprecatedNodeLabel("node-role.other.io/master", names), 'use "node-role.other.io/control-plane" instead');
});

test("topologySuccessor() returns the new name of a renamed label", () => {
  assert.equal(topologySuccessor("failure-domain.beta.kubernetes.io/zone", defaultNames), "topology.kubernetes.io/zone");
  assert.equal(topologySuccessor("node-role.kubernetes.io/master", defaultNames), undefined);
  assert.equal(topologySuccessor("toString", defaultNames), undefined);
});
