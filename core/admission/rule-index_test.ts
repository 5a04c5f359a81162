import assert from "node:assert/strict";
import { test } from "node:test";
import type { MatchRule } from "./matching.ts";
import type { ResourceForm } from "./request.ts";
import { type IndexedAttributes, RuleIndex, ruleIndexKeysMax } from "./rule-index.ts";

const formOf = (group: string, version: string, resource: string): ResourceForm => ({
  group,
  version,
  resource,
  kind: { group, version, kind: resource },
});
const request: IndexedAttributes = { operation: "CREATE", form: formOf("", "v1", "configmaps"), subresource: "", equivalents: () => [] };
const item = (name: string, changes: MatchRule = {}) => ({
  name,
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], ...changes }],
});
type Item = { readonly name: string; readonly rules?: readonly MatchRule[] };
const indexOf = (...items: readonly Item[]) => new RuleIndex(items, ({ rules }) => rules);
const names = (items: readonly Item[]) => items.map(({ name }) => name).join(" ");

test("candidates are the items whose rules name the operation and the resource, in their order", () => {
  const index = indexOf(
    item("c"),
    item("any", { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }),
    item("secrets", { resources: ["secrets"] }),
    item("delete", { operations: ["DELETE"] }),
    item("apps", { apiGroups: ["apps"] }),
    item("v2", { apiVersions: ["v2"] }),
    item("status", { resources: ["configmaps/status"] }),
    { name: "without" },
    item("a"),
  );
  assert.equal(names(index.candidates(request)), "c any a");
  assert.equal(names(index.candidates({ ...request, operation: "DELETE" })), "any delete");
  assert.equal(names(index.candidates({ ...request, subresource: "status" })), "status");
});

test("scopes and names of objects do not narrow candidates", () => {
  const index = indexOf(item("cluster", { scope: "Cluster" }), item("named", { resourceNames: ["x"] }));
  assert.equal(names(index.candidates(request)), "cluster named");
});

test("a rule for another form of the resource makes a candidate", () => {
  const index = indexOf(item("old", { resources: ["events"] }));
  const form = formOf("events", "v1", "events");
  assert.equal(names(index.candidates({ ...request, form, equivalents: () => [form, formOf("", "v1", "events")] })), "old");
});

test("candidates are determined once for an operation on a resource", () => {
  let asked = 0;
  const index = new RuleIndex([item("a"), item("b", { resources: ["secrets"] })], ({ rules }) => {
    asked++;
    return rules;
  });
  for (let time = 0; time < 100; time++) index.candidates(request);
  assert.equal(asked, 2);
});

test("the index keeps at most its bound of resources", () => {
  let asked = 0;
  const index = new RuleIndex([item("a")], ({ rules }) => {
    asked++;
    return rules;
  });
  for (let count = 0; count <= ruleIndexKeysMax; count++) index.candidates({ ...request, form: formOf("", "v1", `r${count}`) });
  index.candidates({ ...request, form: formOf("", "v1", "r0") });
  assert.equal(asked, ruleIndexKeysMax + 2);
});
