// A finalizer without a slash must be one of the platform's own: the rule of every kind whose upstream rules of metadata are those of core.
// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { activeConfigOf } from "../server/config/active-config.ts";
import { withDefaults } from "../server/config/parse.ts";
import { plugins } from "../plugins/mod.ts";

/** Kinds whose rules of metadata are the general ones: there a finalizer is a qualified name, with or without a slash. */
const general = [
  "admissionregistration.k8s.io/mutatingadmissionpolicies",
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingadmissionpolicies",
  "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices",
  "coordination.k8s.io/leasecandidates",
  "coordination.k8s.io/leases",
  "kwok.x-k8s.io/stages",
  "node.k8s.io/runtimeclasses",
  "policy/poddisruptionbudgets",
];

test("standard finalizers are required of all kinds but those with general rules", () => {
  const { catalog } = activeConfigOf(withDefaults({ "data-dir": ":memory:" }), plugins);
  const kinds = catalog.groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints))
    .filter(({ verbs, plural }) => verbs.includes("update") && plural !== "events"); // events decide by their version
  const without = kinds.filter(({ resource }) => resource.strategy?.coreFinalizers !== true).map(({ group, plural }) =>
    `${group}/${plural}`
  );
  assert.deepEqual([...new Set(without)].sort().filter((kind) => !general.includes(kind)), []);
  const required = kinds.filter(({ resource }) => resource.strategy?.coreFinalizers === true).map(({ group, plural }) =>
    `${group}/${plural}`
  );
  assert.deepEqual(required.filter((kind) => general.includes(kind)), []);
});
