// In Deno's suite only: warnings about a policy are computed from its text alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readPolicy } from "./policy.ts";
import { policyWarnings } from "./policy-warnings.ts";

const served = new Map([
  ["", new Set(["configmaps", "serviceaccounts", "serviceaccounts/token"])],
  ["storage.k8s.io", new Set(["storageclasses"])],
]);

/** The warnings of a rule, with the paths below it. */
function warningsOf(rule: string, more = ""): readonly string[] {
  const { policy } = readPolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- ${rule}\n${more}`, "k8s.io");
  return policyWarnings(policy, served, "k8s.io").map(({ text, path }) => {
    assert.ok(text.startsWith(`${path}: `), text);
    return text.replace("rules[0].", "");
  });
}

test("policyWarnings() names verbs that no request has", () => {
  const cases: readonly (readonly [rule: string, ...warnings: string[]])[] = [
    ["verbs: [get, list, watch, create, update, patch, delete, deletecollection, proxy, post, head, options]"],
    ["verbs: [GET]", 'verbs[0]: no request has the verb "GET": did you mean "get"?'],
    ["verbs: [impersonate]", 'verbs[0]: no request has the verb "impersonate" (there are: get, list'],
    [`verbs: ["*"]`, 'verbs[0]: "*" has no special meaning here and matches nothing'],
    ["verbs: [get, post], namespaces: [a]", 'verbs[1]: no request for resources has the verb "post"'],
    ["verbs: [list, get], nonResourceURLs: [/a]", 'verbs[0]: no request for non-resource URLs has the verb "list"'],
  ];
  for (const [rule, ...wanted] of cases) {
    const found = warningsOf(`{level: Metadata, ${rule}}`);
    assert.equal(found.length, wanted.length, found.join("\n"));
    for (const [index, text] of wanted.entries()) assert.ok(found[index]!.startsWith(text), found[index]!);
  }
});

test("policyWarnings() names groups and resources that are not served, and leaves those of custom resources alone", () => {
  const core = "resources[0].resources[0]: the core API group of this server has no resource";
  const cases: readonly (readonly [group: string, resource: string, ...warnings: string[]])[] = [
    ["", "configmaps"],
    ["", "configmaps/*"],
    ["", "*"],
    ["", "*/token"],
    ["", "serviceaccounts/token"],
    ["", "configmap", `${core} "configmap": did you mean "configmaps"?`],
    ["", "serviceaccounts/tokens", `${core} "serviceaccounts/tokens": did you mean "serviceaccounts/token"?`],
    ["", "*/scale", `${core} "*/scale"`],
    ["", "pods/*", `${core} "pods/*"`],
    ["strage.k8s.io", "x", 'resources[0].group: this server has no API group "strage.k8s.io": did you mean "storage.k8s.io"?'],
    ["apps", "deployments", 'resources[0].group: this server has no API group "apps"'],
    ["storage.k8s.io", "nodes", 'resources[0].resources[0]: the API group "storage.k8s.io" of this server has no resource "nodes"'],
    ["example.com", "widgets"],
    ["*", "widgets"],
  ];
  for (const [group, resource, ...wanted] of cases) {
    assert.deepEqual(warningsOf(`{level: Metadata, resources: [{group: "${group}", resources: ["${resource}"]}]}`), wanted);
  }
});

test("policyWarnings() names words that look like patterns, rules that are never used, and a policy that records nothing", () => {
  assert.deepEqual(
    warningsOf(`{level: Metadata, users: ["*"], userGroups: [a, "*"], namespaces: ["*"]}`).map((text) => text.split(":")[0]!),
    ["users[0]", "userGroups[1]", "namespaces[0]"],
  );
  assert.deepEqual(warningsOf("level: Metadata", "- level: None\n  users: [a]\n"), [
    "rules[1]: never used, because rules[0] matches every request",
  ]);
  assert.deepEqual(warningsOf("level: None"), ["rules: no request is recorded, because every level is None"]);
});
