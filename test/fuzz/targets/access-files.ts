import assert from "node:assert/strict";
import type { Target } from "../fuzz.ts";

/** Errors of an invalid file are plain Errors; others are bugs. */
function plainOrValue<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // By name: the modules of a target are copies.
    if (error instanceof Error && ["Error", "FaultyText"].includes(error.constructor.name)) return undefined;
    throw error;
  }
}

/** Audit policies in YAML and JSON, with fields of other types, and rules for requests. */
export const auditPolicies: Target = {
  name: "audit-policies",
  grammar: {
    file: [(w) => `apiVersion: audit.k8s.io/v1\nkind: Policy\n${w.many("member")}`, "<json>"],
    json: [(w) => `{"kind":"Policy","apiVersion":"audit.k8s.io/v1","rules":[${w.write("rule")}${w.many("next-rule")}]}`],
    member: [
      (w) => `rules: [${w.write("rule")}${w.many("next-rule")}]\n`,
      "omitStages: <value>\n",
      "omitManagedFields: <value>\n",
      "metadata: {name: a}\n",
      "__proto__: <value>\n",
    ],
    "next-rule": [",<rule>"],
    rule: ["{<field><more-fields>}", '{"level": "<level>"}', "<value>"],
    "more-fields": ["", ", <field><more-fields>"],
    field: [
      '"level": "<level>"',
      '"users": <value>',
      '"userGroups": <value>',
      '"verbs": <value>',
      '"namespaces": <value>',
      '"nonResourceURLs": ["<url>"]',
      '"resources": [{"group": "<text>", "resources": ["<resource>"], "resourceNames": <value>}]',
      '"omitStages": ["<text>"]',
      '"omitManagedFields": <value>',
      '"<text>": <value>',
    ],
    level: ["None", "Metadata", "Request", "RequestResponse", "", "All"],
    url: ["*", "/healthz*", "/a", "a", "", "/*/*"],
    resource: ["*", "pods", "pods/log", "pods/*", "*/scale", "/", "*/", "", "**"],
    text: ["", "a", "apps", "RequestReceived", "Panic", "__proto__", "é", "%", "*"],
    value: ['["<text>"]', "[]", "{}", "null", "true", "1", '"<text>"', '["<text>", 1]', "[[<value>]]"],
  },
  start: "file",
  binary: false,
  stepsPerCharacter: 400,
  async open(code) {
    const { readPolicy } = await code.load("core/audit/policy.ts");
    const { evaluator } = await code.load("core/audit/evaluate.ts");
    const { requestInfo } = await code.load("kernel/request/request-info.ts");
    const requests = ["/healthz", "/api/v1/pods", "/apis/apps/v1/namespaces/a/pods/b/log"].map((url) => requestInfo("GET", url));
    return (input) => {
      const read = plainOrValue(() => readPolicy(input, "k8s.io"));
      if (read === undefined) return;
      const evaluate = evaluator(read.policy);
      for (const request of requests) {
        for (const user of [undefined, { name: "a", groups: ["a"] }]) {
          assert.ok(["None", "Metadata", "Request", "RequestResponse"].includes(evaluate(user, request).level));
        }
      }
    };
  },
};

/** Kubeconfig files: lists with entries of other types, contexts without an entry. */
export const kubeconfigs: Target = {
  name: "kubeconfigs",
  grammar: {
    file: [
      "current-context: <name>\ncontexts: [<context>]\nclusters: [<cluster>]\nusers: [<user>]\n",
      (w) => w.many("member"),
    ],
    member: ["current-context: <value>\n", "contexts: <value>\n", "clusters: [<cluster>]\n", "users: [<user>]\n", "kind: Config\n"],
    context: ["{name: <name>, context: {cluster: <name>, user: <name>}}", "{name: <value>, context: <value>}", "<value>"],
    cluster: ['{name: <name>, cluster: {server: "<url>", certificate-authority: <value>}}', "{name: <name>, cluster: <value>}", "<value>"],
    user: ["{name: <name>, user: {token: <value>, tokenFile: <value>}}", "{name: <name>, user: {exec: <value>}}", "<value>"],
    name: ["a", "a", "b", '""', "__proto__"],
    url: ["https://a:1", "http://[::1]/x", "https://", "a", "unix:/a", "https://a:99999", "https://u:p@h"],
    value: ["a", "[]", "{}", "null", "1", "[<value>]", '"é"', "{a: <value>}"],
  },
  start: "file",
  binary: false,
  stepsPerCharacter: 400,
  async open(code) {
    const { addressOfAccess, filesOfAccess } = await code.load("client/kubeconfig.ts");
    return (input) => {
      const address = plainOrValue(() => addressOfAccess("/k", input)) as string | undefined;
      assert.match(address ?? "a:1", /^[^/@]+:\d+$/);
      plainOrValue(() => filesOfAccess("/k", input));
    };
  },
};
