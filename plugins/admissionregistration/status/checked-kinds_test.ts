import assert from "node:assert/strict";
import { test } from "node:test";
import type { MatchRule, ServedResource, ServedTypes } from "../../../toolbox.ts";
import type { ValidatingAdmissionPolicy } from "../schema.ts";
import { checkedKinds, policyCheckedKindsMax } from "./checked-kinds.ts";

const served = (group: string, version: string, kind: string): ServedResource => ({
  group,
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
});
const many = Array.from({ length: 20 }, (_, index) => served("many.example.com", "v1", `Kind${String.fromCharCode(97 + index)}`));
const all = [
  served("", "v1", "Secret"),
  served("", "v1", "Event"),
  served("events", "v1", "Event"),
  served("apps", "v1beta1", "Secret"),
  ...many,
];
const types: ServedTypes = {
  versions: () => [],
  resources: (version, group) => all.filter((each) => each.version === version && (group === undefined || each.group === group)),
  schemaOf: () => undefined,
  stored: () => [],
};
const kindsOf = (...rules: readonly MatchRule[]) =>
  checkedKinds({ spec: { matchConstraints: { resourceRules: rules } } } as unknown as ValidatingAdmissionPolicy, types)
    .map(({ group, version, kind }) => `${group}/${version}/${kind}`);
const rule = (apiGroups: readonly string[], apiVersions: readonly string[], ...resources: readonly string[]) => ({
  apiGroups,
  apiVersions,
  resources,
});

test("the kinds of rules are ordered by group, version and kind, each once", () => {
  const rules = [rule(["many.example.com", ""], ["v1"], "secrets", "kindbs", "kindas"), rule([""], ["v1"], "secrets")];
  assert.deepEqual(kindsOf(...rules), ["/v1/Secret", "many.example.com/v1/Kinda", "many.example.com/v1/Kindb"]);
});

test("rules with * and subresources name no kind; singular names do", () => {
  assert.deepEqual(kindsOf(rule(["*"], ["v1"], "secrets"), rule([""], ["*"], "secrets"), rule([""], ["v1"], "*", "secrets/status")), []);
  assert.deepEqual(kindsOf(rule([""], ["v1"], "Secret", "unknown")), ["/v1/Secret"]);
  assert.deepEqual(kindsOf(), []);
});

test("the core group stands for all groups with the version", () => {
  assert.deepEqual(kindsOf(rule([""], ["v1"], "events")), ["/v1/Event", "events/v1/Event"]);
  assert.deepEqual(kindsOf(rule(["events"], ["v1"], "events")), ["events/v1/Event"]);
});

test("a rule that reaches the bound ends the search", () => {
  const rules = [rule(["many.example.com"], ["v1"], ...many.map(({ plural }) => plural)), rule([""], ["v1"], "secrets")];
  assert.equal(kindsOf(...rules).length, policyCheckedKindsMax);
  assert.equal(kindsOf(...rules.toReversed()).length, policyCheckedKindsMax + 1);
});
