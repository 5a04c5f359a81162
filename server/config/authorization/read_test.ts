import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuthorizationConfiguration } from "./read.ts";

const context = {
  groupDomain: "k8s.io",
  types: ["AlwaysAllow", "AlwaysDeny", "RBAC", "Webhook"],
  fileMistake: (path: string) => path === "/none" ? "error loading file: stat /none: no such file or directory" : undefined,
};
const text = (authorizers: unknown, version = "v1") =>
  JSON.stringify({ apiVersion: `apiserver.config.k8s.io/${version}`, kind: "AuthorizationConfiguration", authorizers });
const webhook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  failurePolicy: "Deny",
  connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/etc/webhook" },
};
const hook = (changes: object = {}) => ({ type: "Webhook", name: "hook", webhook: { ...webhook, ...changes } });
const conditions = (...expressions: readonly string[]) => [
  hook({ matchConditionSubjectAccessReviewVersion: "v1", matchConditions: expressions.map((expression) => ({ expression })) }),
];
const read = (authorizers: unknown, version?: string) => readAuthorizationConfiguration(text(authorizers, version), context);
const mistake = (authorizers: unknown): string => {
  try {
    read(authorizers);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("readAuthorizationConfiguration() accepts every version, with upstream's defaults of caches", () => {
  for (const version of ["v1", "v1beta1", "v1alpha1"]) {
    const settings = { kubeconfig: "/etc/webhook", version: "v1", timeoutMs: 3000, onFailure: "deny", matchConditions: [] };
    assert.deepEqual(read([hook(), { type: "RBAC", name: "rbac" }], version), [
      { type: "Webhook", name: "hook", webhook: { ...settings, authorizedMs: 300_000, unauthorizedMs: 30_000 } },
      { type: "RBAC", name: "rbac" },
    ]);
  }
  const [{ webhook: settings }] = read([hook({
    authorizedTTL: "1m30s",
    unauthorizedTTL: "5s",
    cacheUnauthorizedRequests: false,
    failurePolicy: "NoOpinion",
    subjectAccessReviewVersion: "v1beta1",
    connectionInfo: { type: "InClusterConfig" },
  })]) as any;
  assert.deepEqual(settings, {
    kubeconfig: "in-cluster",
    version: "v1beta1",
    authorizedMs: 90_000,
    unauthorizedMs: 0,
    timeoutMs: 3000,
    onFailure: "noOpinion",
    matchConditions: [],
  });
  assert.equal(read([hook(), { ...hook(), name: "other" }]).length, 2);
});

test("readAuthorizationConfiguration() is strict: other kinds, unknown and duplicate fields are mistakes", () => {
  const failing = (whole: string) => {
    assert.throws(
      () => readAuthorizationConfiguration(whole, context),
      /^Error: failed to load AuthorizationConfiguration from file: /,
      whole,
    );
  };
  failing("");
  failing("nonsense: [");
  failing(text([], "v2"));
  failing(text([{ type: "RBAC", name: "rbac", extra: true }]));
  failing(text([{ type: 7, name: "rbac" }]));
  failing(text([hook({ timeout: "soon" })]));
  failing("apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: []\nauthorizers: []\n");
});

test("readAuthorizationConfiguration() reports mistakes with upstream's messages", () => {
  const cases: readonly (readonly [authorizers: unknown, message: string])[] = [
    [[], "authorizers: Required value: at least one authorization mode must be defined"],
    [[{ type: "", name: "a" }], "authorizers[0].type: Required value"],
    [
      [{ type: "Node", name: "node" }],
      'authorizers[0].type: Unsupported value: "Node": supported values: "AlwaysAllow", "AlwaysDeny", "RBAC", "Webhook"',
    ],
    [[{ type: "RBAC", name: "rbac" }, { type: "RBAC", name: "b" }], 'authorizers[1].type: Duplicate value: "RBAC"'],
    [[{ type: "RBAC", name: "" }], "authorizers[0].name: Required value"],
    [[hook(), hook()], 'authorizers[1].name: Duplicate value: "hook"'],
    [[{ type: "RBAC", name: "other" }], "expected name rbac for authorizer RBAC instead of other"],
    [[{ type: "Webhook", name: "a" }], "authorizers[0].webhook: Required value: required when type=Webhook"],
    [
      [{ type: "RBAC", name: "rbac", webhook }],
      'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
    ],
    [[hook({ timeout: "0s" })], "authorizers[0].timeout: Required value"],
    [[hook({ timeout: "31s" })], 'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s'],
    [[hook({ authorizedTTL: "-1s" })], 'authorizers[0].authorizedTTL: Invalid value: "-1s": must be > 0s'],
    [[hook({ subjectAccessReviewVersion: "" })], "authorizers[0].subjectAccessReviewVersion: Required value"],
    [
      [hook({ subjectAccessReviewVersion: "v2" })],
      'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
    ],
    [[hook({ failurePolicy: "" })], "authorizers[0].failurePolicy: Required value"],
    [[hook({ failurePolicy: "Allow" })], 'authorizers[0].failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"'],
    [[hook({ connectionInfo: {} })], "authorizers[0].connectionInfo.type: Required value"],
    [[hook({ connectionInfo: { type: "KubeConfigFile" } })], "authorizers[0].connectionInfo.kubeConfigFile: Required value"],
    [
      [hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "a" } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "a": must be an absolute path',
    ],
    [
      [hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/none" } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/none": error loading file: stat /none: no such file or directory',
    ],
    [
      [hook({ connectionInfo: { type: "InClusterConfig", kubeConfigFile: "/a" } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/a": can only be set when type=KubeConfigFile',
    ],
    [
      [hook({ matchConditions: [{ expression: "true" }] })],
      "authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified",
    ],
    [
      conditions(" ", "true", "true", "request.user"),
      "[authorizers[0].matchConditions[0].expression: Required value, " +
      'authorizers[0].matchConditions[2].expression: Duplicate value: "true", ' +
      'authorizers[0].matchConditions[3].expression: Invalid value: "request.user": must evaluate to bool but got string]',
    ],
    [
      conditions("request.name == ''"),
      "authorizers[0].matchConditions[0].expression: Invalid value: \"request.name == ''\": compilation failed: " +
      "ERROR: <input>:1:8: undefined field 'name'\n | request.name == ''\n | .......^",
    ],
    [
      [hook({
        matchConditions: Array.from({ length: 65 }, () => ({ expression: "true" })),
        matchConditionSubjectAccessReviewVersion: "v1",
      })],
      "authorizers[0].matchConditions: Too many: 65: must have at most 64 items",
    ],
  ];
  for (const [authorizers, message] of cases) assert.equal(mistake(authorizers), message);
});

test("readAuthorizationConfiguration() requires the types of the server's start", () => {
  assert.throws(
    () => readAuthorizationConfiguration(text([hook()]), { ...context, requiredTypes: ["RBAC", "AlwaysDeny"] }),
    /^Error: missing required types: \[AlwaysDeny RBAC\]$/,
  );
});
