// Conversions beside those of kubectl-convert, if that is on PATH: both mean the same after the defaults of the new version.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { partsOf } from "../../commands/upgrade/document.ts";
import { caseNames, convertCase, inputOf } from "./cases.ts";

const program = "kubectl-convert";
const isMissing = spawnSync(program, ["--help"]).error !== undefined;

/** Documents that kubectl-convert does not read, or converts to something else of the same meaning. */
const exceptions: Readonly<Record<string, string>> = {
  "CustomResourceDefinition": "not among its kinds",
  "APIService": "not among its kinds",
  "PodSecurityPolicy": "not among its kinds",
  "autoscaling/v2beta1": "not among its versions",
  "autoscaling/v2beta2": "not among its versions",
  "Deployment as target web": "it does not look at references",
  "batch/v2alpha1": "not among its versions",
  "flowcontrol.k8s.io": "not among its groups",
  "PodPreset": "not among its kinds",
  "AuditSink": "not among its kinds",
  "apps/v1beta1 ReplicaSet": "not among its kinds of that version",
  "PodDisruptionBudget none": "it writes a selector that matches nothing, which is left out here",
  "EndpointSlice web": "it keeps the host name as deprecatedTopology where there is no nodeName",
  "Event": "it renames no deprecated fields, which new events may not have",
};

for (const name of caseNames) {
  test(`kubectl-convert means the same: ${name}`, { skip: isMissing ? `${program} is not on PATH` : false }, () => {
    let compared = 0;
    for (const { text } of partsOf(inputOf(name))) {
      const { objects, findings, text: ours } = convertCase(text);
      if (objects.length !== 1 || findings.some(({ level }) => level === "choice")) continue;
      const { kind, name: own, from, to } = objects[0]!;
      const keys = [kind, from, from.split("/")[0]!, `${from} ${kind}`, `${kind} ${own}`];
      if (keys.some((key) => Object.hasOwn(exceptions, key))) continue;
      assert.deepEqual(converted(ours, to), converted(text, to), `${kind} ${own}`);
      compared++;
    }
    assert.ok(compared > 0 || !needsComparison.has(name), "nothing was compared");
  });
}

const needsComparison = new Set([
  "ingress",
  "apps-deployment",
  "apps-others",
  "webhooks",
  "storage",
  "rbac",
  "only-the-version",
  "flowcontrol",
]);

function converted(text: string, to: string): unknown {
  const { status, stdout, stderr } = spawnSync(program, ["-f", "-", "--local", "--validate=false", "-o", "json", "--output-version", to], {
    input: text,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  // The count of a field that is removed is an annotation there.
  return JSON.parse(stdout, (key, value) => key === "deprecated.daemonset.template.generation" ? undefined : value);
}
