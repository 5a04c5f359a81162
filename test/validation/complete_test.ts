// The tables beside this file compared with the reference: every rule has cases for each operation and each error, or the reason why no
// client can violate it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames, spell } from "../../core/names.ts";
import { plugins } from "../../plugins/mod.ts";
import { readFacts } from "../reference/facts.ts";
import { type Operation, operationsOf, type Reason, type Rule } from "./rule.ts";
import { tables } from "./tables.ts";

interface Known {
  readonly field: string;
  readonly on: string;
  readonly error: string;
  readonly rule: string;
}

/** Kinds of the reference that are not served: a kind that becomes served needs a table. */
const notServed: readonly string[] = [
  "custom resource instances",
  "authentication.k8s.io/v1/TokenRequest",
  "admission.k8s.io/v1/AdmissionReview (webhook response)",
  "apiextensions.k8s.io/v1/ConversionReview (webhook response)",
];

/** Rules about whole schemas, about expressions, and of a kind whose names follow from its spec: they are tested beside their source. */
const triedElsewhere: readonly string[] = [
  "apiregistration.k8s.io/v1/APIService",
  "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
  "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding",
  "apiextensions.k8s.io/v1/CustomResourceDefinition",
];

/** Every list of rules in the reference, by kind or by the section's name. */
function known(): ReadonlyMap<string, readonly Known[]> {
  const read = readFacts<any>("validation-rules.json");
  const kinds = Object.entries<{ readonly rules?: readonly Known[] }>(read.kinds);
  return new Map([
    ["objectMeta", read.objectMeta.rules],
    ["labelSelector", read.labelSelector],
    ["conditions", read.conditions],
    ["v1/PersistentVolume (inline)", read.kinds["v1/PersistentVolume"].inlineVariant.rules],
    ...kinds.map(([kind, { rules = [] }]) => [kind, rules] as const),
  ]);
}

/** The errors of a rule: `Required / Invalid (redacted)` are two. */
function reasonsIn(error: string): readonly string[] {
  return error.replaceAll(/\(.*?\)/g, "").split("/").map((word) => word.trim()).filter((word) => /^[A-Z][A-Za-z]+$/.test(word));
}

/** The untested parts of a rule. */
function gapsOf(rule: Rule): readonly string[] {
  if (rule.except.all !== undefined) return [];
  const tried = new Set<string>(rule.cases.flatMap((each) => [...operationsOf(rule, each), each.reason]));
  const wanted = [...rule.on.split("+"), ...(rule.recorded === undefined ? reasonsIn(rule.error) : [rule.recorded])];
  // `as`: looked up by any text.
  return wanted.filter((each) => rule.except[each as Operation | Reason] === undefined && !tried.has(each));
}

test("the tables of validation rules contain all rules of the reference", () => {
  const sections = known();
  assert.deepEqual([...tables.map(({ kind }) => kind), ...notServed, ...triedElsewhere].sort(), [...sections.keys()].sort());
  for (const { kind, rules } of tables) {
    const ids = rules.map(({ field, on, error, words }) => [field, on, error, words]);
    assert.deepEqual(ids, sections.get(kind)!.map((each) => [each.field, each.on, each.error, each.rule]), kind);
  }
});

test("every rule of the tables is tested in each operation and with each error", () => {
  const gaps = tables.flatMap(({ kind, rules }) =>
    rules.flatMap((rule) => gapsOf(rule).map((gap) => `${kind} ${rule.field} (${rule.words}): nothing for ${gap}`))
  );
  assert.deepEqual(gaps, []);
});

test("every served kind has its rules", () => {
  const served = plugins.flatMap((plugin) => plugin.resources ?? [])
    .filter(({ unlisted }) => unlisted !== true) // A read-only collection.
    .flatMap(({ kind, served }) => Object.keys(served).map((groupVersion) => `${spell(defaultNames, groupVersion)}/${kind}`));
  assert.deepEqual(served.filter((kind) => notServed.includes(kind)), []);
});
