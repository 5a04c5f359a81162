// In Deno's suite only: the rules use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { wantedLevels, wantedSchemas } from "./bootstrap-objects.ts";
import { corrected } from "./bootstrap.ts";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";
import { changedCondition } from "./dangling.ts";
import { validateFlowSchema } from "./flow-schema-rules.ts";
import { validateLevel } from "./priority-level-rules.ts";

const schemaErrors = (spec: object, name = "a") =>
  validateFlowSchema({
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: "a" }, matchingPrecedence: 5, ...spec },
    status: {},
  } as any) // `any`: also wrong values
    .map(fieldErrorText);
const levelErrors = (spec: object, name = "a") =>
  validateLevel({ metadata: { name }, spec, status: {} } as any, { names: defaultNames } as any).map(fieldErrorText); // `any`: as above

test("each field of a subject of a FlowSchema is checked", () => {
  const rules = (subject: object) => ({ rules: [{ subjects: [subject], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["*"] }] }] });
  const at = "spec.rules[0].subjects[0]";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{ kind: "User", user: { name: "u" } }],
    [{ kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "n" } }],
    [{ kind: "User" }, `${at}.user: Required value: user is required when subject kind is 'User'`],
    [{ kind: "User", user: { name: "" } }, `${at}.user.name: Required value`],
    [
      { kind: "Group", group: { name: "g" }, user: { name: "u" } },
      `${at}.user: Forbidden: user is forbidden when subject kind is not 'User'`,
    ],
    [
      { kind: "ServiceAccount", serviceAccount: { name: "", namespace: "" } },
      `${at}.serviceAccount.name: Required value`,
      `${at}.serviceAccount.namespace: Required value: must specify namespace for service account`,
    ],
    [{ kind: "Robot" }, `${at}.kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"`],
  ];
  for (const [subject, ...errors] of cases) assert.deepEqual(schemaErrors(rules(subject)), errors, JSON.stringify(subject));
});

test("verbs, paths and precedence of a FlowSchema have their bounds", () => {
  const rules = (rule: object) => ({
    rules: [{ subjects: [{ kind: "User", user: { name: "u" } }], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/"], ...rule }] }],
  });
  const at = "spec.rules[0].nonResourceRules[0]";
  const path = (url: string, why: string) => [`${at}.nonResourceURLs[0]: Invalid value: ${JSON.stringify(url)}: ${why}`];
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [rules({ verbs: ["get", "*"] }), [`${at}.verbs: Invalid value: ["get","*"]: if '*' is present, must not specify other verbs`]],
    [rules({ nonResourceURLs: ["a"] }), path("a", "must start with slash")],
    [rules({ nonResourceURLs: [""] }), path("", "must not be empty")],
    [rules({ nonResourceURLs: ["/a b"] }), path("/a b", "must not contain white-space")],
    [rules({ nonResourceURLs: ["/a//b"] }), path("/a//b", "must not contain double slash")],
    [rules({ nonResourceURLs: ["/a*"] }), path("/a*", "wildcard can only do suffix matching")],
    [rules({ nonResourceURLs: ["/a/*"] }), []],
    [{ matchingPrecedence: 10_000 }, []],
    [{ matchingPrecedence: 10_001 }, ["spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"]],
    [{ matchingPrecedence: -1 }, ["spec.matchingPrecedence: Invalid value: -1: must be a positive value"]],
    [{ matchingPrecedence: 1 }, [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ]],
  ];
  for (const [spec, errors] of cases) assert.deepEqual(schemaErrors(spec), errors, JSON.stringify(spec));
  assert.match(schemaErrors(rules({ verbs: ["head"] }))[0]!, /Unsupported value: .*supported values: "create", "delete"/);
});

test("the objects that the server makes are valid, and only they have the names of the mandatory ones", () => {
  for (const { name, spec } of wantedSchemas(defaultNames)) assert.deepEqual(schemaErrors(spec, name), [], name);
  for (const { name, spec } of wantedLevels) assert.deepEqual(levelErrors(spec, name), [], name);
  assert.match(schemaErrors({}, "catch-all")[0]!, /spec of 'catch-all' must equal the fixed value/);
});

test("corrected() keeps mandatory objects, and suggested ones by their mark or while nobody has changed them", () => {
  const mark = "mark", [suggested] = wantedLevels, mandatory = wantedLevels.find(({ name }) => name === "catch-all")!;
  const other = { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" }, lendablePercent: 0 } };
  const of = (wanted: typeof mandatory, annotation: string | undefined, generation: number, spec: object) => {
    const annotations = annotation === undefined ? {} : { [mark]: annotation };
    const next = corrected({ metadata: { generation, annotations }, spec } as any, wanted, mark); // `any`: a partial object
    return next === undefined ? "kept" : `${next.metadata.annotations[mark]} ${next.spec === wanted.spec ? "restored" : "left"}`;
  };
  assert.equal(of(suggested!, "true", 1, suggested!.spec), "kept");
  assert.equal(of(suggested!, "true", 2, other), "true restored");
  assert.equal(of(suggested!, "false", 1, other), "kept");
  assert.equal(of(suggested!, undefined, 1, other), "true restored");
  assert.equal(of(suggested!, undefined, 2, other), "false left");
  assert.equal(of(suggested!, "maybe", 2, { ...suggested!.spec }), "false left");
  assert.equal(of(mandatory, "false", 2, other), "true restored");
  const exempt = wantedLevels.find(({ name }) => name === "exempt")!;
  assert.equal(of(exempt, "true", 2, { type: "Exempt", exempt: { nominalConcurrencyShares: 7, lendablePercent: 5 } }), "kept");
});

test("changedCondition() tells whether the level of a schema exists, and nothing if that is told already", () => {
  const schema = (conditions: readonly object[]) =>
    ({ spec: { priorityLevelConfiguration: { name: "l" } }, status: { conditions } }) as any; // a partial object
  const missing = changedCondition(schema([]), new Set<string>(), 0)!;
  assert.deepEqual([missing.status, missing.reason, missing.lastTransitionTime], ["True", "NotFound", "1970-01-01T00:00:00Z"]);
  assert.equal(changedCondition(schema([missing]), new Set<string>(), 5), undefined);
  assert.equal(changedCondition(schema([missing]), new Set(["l"]), 5)?.status, "False");
});

test("a write of the status keeps all metadata of the stored object, also what an update may not change", async () => {
  await using server = await openTestServer();
  const path = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
  const made = await ask(server, "POST", path, {
    metadata: { name: "a" },
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
  });
  assert.equal(made.status, 201, made.text);
  const metadata = { name: "a", generateName: "b-", deletionGracePeriodSeconds: 5, labels: { a: "b" } };
  const put = await ask(server, "PUT", `${path}/a/status`, { metadata, status: { conditions: [{ type: "Own" }] } });
  assert.deepEqual([put.status, put.body.status.conditions.length], [200, 1], put.text);
  const { generateName, deletionGracePeriodSeconds, labels } = put.body.metadata;
  assert.deepEqual([generateName, deletionGracePeriodSeconds, labels], [undefined, undefined, undefined]);
});
