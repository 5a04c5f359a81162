import assert from "node:assert/strict";
import { test } from "node:test";
import { coveredForm, type MatchResources, type MatchRule, type RequestAttributes } from "./matching.ts";
import type { ResourceForm } from "./request.ts";

const formOf = (group: string, version: string, resource: string, kind: string): ResourceForm => ({
  group,
  version,
  resource,
  kind: { group, version, kind },
});
const configMaps = formOf("", "v1", "configmaps", "ConfigMap");
const request: RequestAttributes = {
  operation: "CREATE",
  form: configMaps,
  subresource: "",
  namespace: "a",
  name: "x",
  equivalents: () => [],
  labels: { app: "web" },
  oldLabels: undefined,
  namespaceLabels: (name) => ({ name }),
};
const rule = (changes: Partial<MatchRule> = {}): MatchRule => ({
  operations: ["CREATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["configmaps"],
  scope: "*",
  ...changes,
});
const match = (rules: readonly MatchRule[], changes: Partial<MatchResources> = {}): MatchResources => ({
  resourceRules: rules,
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  ...changes,
});
const isCovered = async (given: MatchResources, changes: Partial<RequestAttributes> = {}): Promise<boolean> =>
  await coveredForm(given, { ...request, ...changes }) !== undefined;

test("a rule describes operations, groups, versions and resources, by words or *", async () => {
  assert.equal(await isCovered(match([rule()])), true);
  assert.equal(await isCovered(match([rule({ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] })])), true);
  for (const other of [{ operations: ["UPDATE"] }, { apiGroups: ["apps"] }, { apiVersions: ["v2"] }, { resources: ["secrets"] }] as const) {
    assert.equal(await isCovered(match([rule(other)])), false, JSON.stringify(other));
  }
});

test("* covers no subresource, RESOURCE/* covers all subresources and the resource not", async () => {
  const status = { subresource: "status" };
  assert.equal(await isCovered(match([rule({ resources: ["*"] })]), status), false);
  assert.equal(await isCovered(match([rule({ resources: ["configmaps/*"] })]), status), true);
  assert.equal(await isCovered(match([rule({ resources: ["*/status"] })]), status), true);
  assert.equal(await isCovered(match([rule({ resources: ["*/*"] })]), status), true);
  // As upstream, `x/*` also covers the resource itself.
  assert.equal(await isCovered(match([rule({ resources: ["configmaps/*"] })])), true);
  assert.equal(await isCovered(match([rule({ resources: ["configmaps/status"] })])), false);
});

test("a scope excludes, and a Namespace is cluster-wide although its requests have a namespace", async () => {
  assert.equal(await isCovered(match([rule({ scope: "Namespaced" })])), true);
  assert.equal(await isCovered(match([rule({ scope: "Cluster" })])), false);
  const namespace = { form: formOf("", "v1", "namespaces", "Namespace") };
  assert.equal(await isCovered(match([rule({ scope: "Cluster", resources: ["namespaces"] })]), namespace), true);
  assert.equal(await isCovered(match([rule({ scope: "Namespaced", resources: ["namespaces"] })]), namespace), false);
});

test("names narrow a rule; excluded rules win", async () => {
  assert.equal(await isCovered(match([rule({ resourceNames: ["x", "y"] })])), true);
  assert.equal(await isCovered(match([rule({ resourceNames: ["y"] })])), false);
  assert.equal(await isCovered(match([rule()], { excludeResourceRules: [rule({ resourceNames: ["x"] })] })), false);
});

test("Equivalent covers other versions, and names the one that the rule describes; Exact does not", async () => {
  const newer = formOf("events", "v1", "events", "Event"), older = formOf("", "v1", "events", "Event");
  const given = { form: newer, equivalents: () => [newer, older] };
  const rules = [rule({ resources: ["events"] })];
  assert.equal(await coveredForm(match(rules), { ...request, ...given }), older);
  assert.equal(await isCovered(match(rules, { matchPolicy: "Exact" }), given), false);
});

test("an object selector chooses by the labels of the new or the old object", async () => {
  const selector = { objectSelector: { matchLabels: { app: "web" } } };
  assert.equal(await isCovered(match([rule()], selector)), true);
  assert.equal(await isCovered(match([rule()], selector), { labels: {}, oldLabels: { app: "web" } }), true);
  assert.equal(await isCovered(match([rule()], selector), { labels: {} }), false);
  assert.equal(await isCovered(match([rule()], selector), { labels: undefined }), false);
});

test("a namespace selector chooses by the labels of the namespace, for a written Namespace by its new ones", async () => {
  const selector = { namespaceSelector: { matchLabels: { name: "a" } } };
  assert.equal(await isCovered(match([rule()], selector)), true);
  assert.equal(await isCovered(match([rule()], selector), { namespace: "b" }), false);
  assert.equal(await isCovered(match([rule()], selector), { namespace: "" }), true);
  const namespace = { form: formOf("", "v1", "namespaces", "Namespace"), namespace: "a" };
  const rules = [rule({ resources: ["namespaces"], operations: ["*"] })];
  assert.equal(await isCovered(match(rules, selector), { ...namespace, labels: {} }), false);
  assert.equal(await isCovered(match(rules, selector), { ...namespace, labels: {}, operation: "DELETE" }), true);
});

test("the namespace is read last: a request that rules do not describe cannot fail by it", async () => {
  const namespaceLabels = () => Promise.reject(new Error("read"));
  const selector = { namespaceSelector: { matchLabels: { name: "a" } } };
  assert.equal(await isCovered(match([rule({ resources: ["secrets"] })], selector), { namespaceLabels }), false);
  await assert.rejects(isCovered(match([rule()], selector), { namespaceLabels }), /read/);
});
