// The audit policy: its file, its mistakes with upstream's messages, and the matching rule.
import assert from "node:assert/strict";
import { test } from "node:test";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { evaluator } from "./evaluate.ts";
import { auditPolicyLengthMax, omitsFirstStage, readPolicy } from "./policy.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
const policyOf = (rules: string) => readPolicy(`${head}${rules}`, "k8s.io");
function mistakeIn(text: string): string {
  try {
    readPolicy(text, "k8s.io");
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

test("readPolicy() reads rules with their lists, and warns of unknown fields", () => {
  const { policy, warnings } = policyOf(`
omitStages: [RequestReceived]
omitManagedFields: true
extra: 1
rules:
- level: Metadata
  users: [a]
  resources: [{group: apps, resources: [a/b], resourceNames: [db], other: x}]
  omitManagedFields: false
  level: None
`);
  assert.deepEqual(policy, {
    omitStages: ["RequestReceived"],
    omitManagedFields: true,
    rules: [{
      level: "None",
      users: ["a"],
      userGroups: [],
      verbs: [],
      resources: [{ group: "apps", resources: ["a/b"], resourceNames: ["db"] }],
      namespaces: [],
      nonResourceURLs: [],
      omitStages: [],
      omitManagedFields: false,
    }],
  });
  assert.deepEqual(warnings.map(({ text }) => text), [
    'line 12: key "level" already set in map',
    'unknown field "extra"',
    'unknown field "rules[0].resources[0].other"',
  ]);
  assert.equal(
    readPolicy('{"apiVersion":"audit.acme.io/v1","kind":"Policy","rules":[{"level":"None"}]}', "acme.io").policy.rules.length,
    1,
  );
});

test("omitsFirstStage() looks at the policy and at each rule that records something", () => {
  const omits = (text: string) => omitsFirstStage(policyOf(text).policy);
  assert.equal(omits("rules: [{level: Metadata}]\n"), false);
  assert.equal(omits("omitStages: [ResponseComplete]\nrules: [{level: Metadata}]\n"), false);
  assert.equal(omits("omitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"), true);
  assert.equal(omits("omitStages: [RequestReceived]\nrules: [{level: None}]\n"), false);
  assert.equal(omits("rules: [{level: None, omitStages: [RequestReceived]}, {level: Metadata}]\n"), false);
  assert.equal(omits("rules: [{level: Metadata}, {level: Request, omitStages: [Panic, RequestReceived]}]\n"), true);
});

test("readPolicy() rejects invalid policies, with upstream's messages", () => {
  for (
    const [rules, wanted] of [
      ["", "loaded illegal policy with 0 rules"],
      ["rules: [{}]", "rules[0].level: Required value"],
      [
        "rules: [{level: All}]",
        'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
      ],
      [
        "omitStages: [Done]\nrules: [{level: None}]",
        'omitStages[0]: Invalid value: "Done": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
      ],
      [
        "rules: [{level: None, nonResourceURLs: [healthz, '/a*b', '*']}]",
        `[rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character, ` +
        `rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule]`,
      ],
      [
        "rules: [{level: None, nonResourceURLs: [/a], namespaces: [b]}]",
        'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
      [
        "rules: [{level: None, resources: [{resourceNames: [a]}]}]",
        'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
      ],
      ["rules: {level: None}", "failed decoding: rules: must be a list"],
      ["rules: [{level: 1, users: [true], omitManagedFields: 'no'}, 5]", "failed decoding: [rules[1]: must be a map"],
    ] as const
  ) assert.ok(mistakeIn(`${head}${rules}`).startsWith(wanted), mistakeIn(`${head}${rules}`));
  assert.match(
    mistakeIn(`${head}rules: [{level: None, resources: [{group: apps/v1}]}]`),
    /^rules\[0\]\.resources\.group: Invalid value: "apps\/v1": a lowercase RFC 1123/,
  );
  assert.match(mistakeIn("kind: Policy\napiVersion: audit.k8s.io/v1beta1"), /unknown group version field audit\.k8s\.io\/v1beta1/);
  assert.match(mistakeIn("rules: []"), /Object 'Kind' is missing/);
  assert.match(mistakeIn("a: ["), /failed decoding/);
});

test("readPolicy() bounds hostile files", () => {
  assert.match(mistakeIn(" ".repeat(auditPolicyLengthMax + 1)), /more than \d+ characters/);
  assert.match(mistakeIn(`{"kind":"Policy","apiVersion":"audit.k8s.io/v1","rules":${"[".repeat(20_000)}`), /failed decoding/);
  // The name of an inherited property is an unknown field like any other.
  assert.deepEqual(policyOf("__proto__: {rules: []}\nconstructor: 1\nrules: [{level: None}]").warnings.length, 2);
  assert.match(mistakeIn(`${head}__proto__: {rules: [{level: None}]}`), /0 rules/);
});

test("evaluator() uses the first matching rule, as in upstream's table of cases", () => {
  const alice = { name: "alice", groups: ["devs", "system:authenticated"] };
  const levelOf = (rule: string, method: string, url: string, user: typeof alice | undefined = alice) =>
    evaluator(policyOf(`rules:\n- {level: Request, ${rule}}\n- {level: Metadata}\n`).policy)(user, requestInfo(method, url)!).level;
  const pod = "/api/v1/namespaces/a/pods/p",
    log = `${pod}/log`,
    node = "/api/v1/nodes/n",
    scale = "/apis/apps/v1/namespaces/a/deployments/d/scale";
  for (
    const [rule, method, url, matches] of [
      ["users: [alice]", "GET", pod, true],
      ["users: [bob]", "GET", pod, false],
      ["userGroups: [devs]", "GET", "/healthz", true],
      ["userGroups: [ops]", "GET", pod, false],
      ["verbs: [get]", "GET", "/healthz", true],
      ["verbs: [list]", "GET", pod, false],
      ["verbs: [deletecollection]", "DELETE", "/api/v1/namespaces/a/pods", true],
      ["namespaces: [a]", "GET", pod, true],
      ["namespaces: [b]", "GET", pod, false],
      ["namespaces: ['']", "GET", node, true],
      ["namespaces: ['']", "GET", "/healthz", false],
      ["resources: [{group: ''}]", "GET", log, true],
      ["resources: [{group: apps}]", "GET", pod, false],
      ["resources: [{group: '*', resources: ['*']}]", "GET", log, true],
      ["resources: [{group: '', resources: [pods]}]", "GET", pod, true],
      ["resources: [{group: '', resources: [pods]}]", "GET", log, false],
      ["resources: [{group: '', resources: [pods/log]}]", "GET", log, true],
      ["resources: [{group: '', resources: ['pods/*']}]", "GET", log, true],
      ["resources: [{group: '', resources: ['pods/*']}]", "GET", pod, true],
      ["resources: [{group: '*', resources: ['*/scale']}]", "GET", scale, true],
      ["resources: [{group: '*', resources: ['*/scale']}]", "GET", log, false],
      ["resources: [{group: '', resources: [pods], resourceNames: [p]}]", "GET", pod, true],
      ["resources: [{group: '', resources: [pods], resourceNames: [q]}]", "GET", pod, false],
      ["nonResourceURLs: ['*']", "GET", "/healthz", true],
      ["nonResourceURLs: [/healthz]", "GET", "/healthz/etcd", false],
      ["nonResourceURLs: ['/healthz*']", "GET", "/healthz/etcd", true],
      ["nonResourceURLs: ['*']", "GET", pod, false],
    ] as const
  ) assert.equal(levelOf(rule, method, url), matches ? "Request" : "Metadata", `${rule} ${url}`);
  // Rules about users never match before authentication.
  for (const rule of ["users: ['']", "userGroups: [devs]"]) {
    const evaluate = evaluator(policyOf(`rules: [{level: Request, ${rule}}]`).policy);
    assert.equal(evaluate(undefined, requestInfo("GET", pod)!).level, "None");
  }
});

test("evaluator() joins omitted stages, and a rule's omitManagedFields overrides the policy's", () => {
  const { policy } = policyOf(
    "omitStages: [RequestReceived]\nomitManagedFields: true\nrules:\n" +
      "- {level: Request, verbs: [get], omitStages: [Panic], omitManagedFields: false}\n- {level: Request, verbs: [list]}\n",
  );
  const evaluate = evaluator(policy), of = (url: string) => evaluate(undefined, requestInfo("GET", url)!);
  assert.deepEqual([...of("/api/v1/nodes/n").omitStages], ["RequestReceived", "Panic"]);
  assert.deepEqual([of("/api/v1/nodes/n").omitsManagedFields, of("/api/v1/nodes").omitsManagedFields], [false, true]);
  assert.equal(evaluate(undefined, requestInfo("POST", "/api/v1/nodes")!).level, "None");
});
