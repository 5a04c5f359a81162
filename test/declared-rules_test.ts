// Rules in CEL in the tree of a plugin's kind, alone and beside validation in code.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject } from "../core/json.ts";
import {
  definePlugin,
  defineResource,
  field,
  type FieldError,
  type Infer,
  int32,
  invalid,
  list,
  object,
  type Plugin,
  quantity,
  record,
  required,
  type Resource,
  string,
  struct,
  time,
} from "../plugin.ts";
import { coveredByRule, type ValidationRule } from "../toolbox.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask, textOf } from "./requests.ts";

const limit = "!has(self.replicas) || self.replicas <= 5 || has(self.size) && self.size == 'large'";
const tree = (rules: readonly ValidationRule[], more: readonly ValidationRule[] = []) =>
  object("Shop", {
    spec: field(
      2,
      struct("ShopSpec", {
        replicas: field(1, int32, "How many.", { rules: [{ rule: "self >= 0", message: "must not be negative" }] }),
        size: field(2, string, "How large.", { rules: [{ rule: "oldSelf == self", message: "size is immutable" }] }),
        names: field(3, list(string), "Names.", { publish: { maxItems: 10 }, rules: [{ rule: "self.all(each, each != '')" }] }),
        limits: field(4, record(quantity), "Limits.", { publish: { maxProperties: 5 }, rules: more }),
        opened: field(5, time, "Since when."),
      }, { rules }),
      "The shop.",
      { written: "always" },
    ),
  }, { doc: "A shop." });
const Shop = tree([{
  rule: limit,
  reason: "FieldValueForbidden",
  fieldPath: ".replicas",
  messageExpression: "'at most 5, not ' + string(self.replicas)",
}]);
type Shop = Infer<typeof Shop>;

function shops(more: Partial<Resource<Shop>> = {}, schema: typeof Shop = Shop): Plugin {
  const resource: Resource<Shop> = defineResource({
    kind: "Shop",
    scope: "Namespaced",
    summary: "A shop.",
    storedAs: "shops.example.com/v1",
    storedUnder: "shops.example.com/shops",
    served: { "shops.example.com/v1": { schema, introduced: "1.0", subresources: {} } },
    ...more,
  });
  return definePlugin({ name: "shops", summary: "Shops.", resources: [resource] });
}
const path = "/apis/shops.example.com/v1/namespaces/default/shops";

const shop = (name: string, spec: object) => ({ apiVersion: "shops.example.com/v1", kind: "Shop", metadata: { name }, spec });
/** The causes of a refusal; undefined if the object was written. */
async function causes(server: TestServer, method: string, url: string, body: object): Promise<readonly string[] | undefined> {
  const answer = (await ask(server, method, url, body)).body;
  if (answer.kind !== "Status") return undefined;
  assert.ok(isObject(answer.details), JSON.stringify(answer));
  return answer.details.causes.map(({ reason, field, message }: any) => `${reason} ${field} ${message}`);
}
async function mismatches(server: TestServer): Promise<number> {
  const text = await textOf(server, "/metrics");
  return Number(/^apiserver_validation_declarative_validation_mismatch_total (\d+)$/m.exec(text)?.[1]);
}

test("the rules of a plugin's kind apply to its objects, with transitions and ratcheting", async () => {
  await using server = await openTestServer({ plugins: [shops()] });
  const create = (spec: object) => causes(server, "POST", path, shop("a", spec));
  assert.deepEqual(await create({ replicas: -1 }), ["FieldValueInvalid spec.replicas Invalid value: -1: must not be negative"]);
  assert.deepEqual(await create({ replicas: 6, names: ["a", ""] }), [
    "FieldValueForbidden spec.replicas Forbidden: at most 5, not 6",
    "FieldValueInvalid spec.names Invalid value: failed rule: self.all(each, each != '')",
  ]);
  assert.equal(await create({ replicas: 6, size: "large", limits: { cpu: "1" } }), undefined);
  const change = (spec: object) => causes(server, "PUT", `${path}/a`, shop("a", spec));
  assert.deepEqual(await change({ replicas: 6, size: "small" }), [
    "FieldValueForbidden spec.replicas Forbidden: at most 5, not 6",
    'FieldValueInvalid spec.size Invalid value: "small": size is immutable',
  ]);
  assert.equal(await change({ replicas: 1, size: "large" }), undefined);
  const { components } = (await ask(server, "GET", "/openapi/v3/apis/shops.example.com/v1")).body;
  const { properties, "x-kubernetes-validations": rules } = components.schemas["com.example.shops.v1.ShopSpec"];
  assert.equal(rules[0].rule, limit);
  assert.equal(properties.replicas["x-kubernetes-validations"][0].message, "must not be negative");
});

test("the bounds that a plugin's kind publishes apply to its objects, and stop rules that rely on them", async () => {
  await using server = await openTestServer({ plugins: [shops()] });
  const names = (count: number) => Array.from({ length: count }, (_, at) => at === 0 ? "" : `n${at}`);
  const create = (spec: object) => causes(server, "POST", path, shop("a", spec));
  assert.deepEqual(await create({ names: names(11) }), [
    "FieldValueTooMany spec.names Too many: 11: must have at most 10 items",
    "FieldValueInvalid <nil> Invalid value: null: some validation rules were not checked because the object was invalid; " +
    "correct the existing errors to complete validation",
  ]);
  assert.equal(await create({ names: names(11).slice(1) }), undefined);
  const { components } = (await ask(server, "GET", "/openapi/v3/apis/shops.example.com/v1")).body;
  assert.equal(components.schemas["com.example.shops.v1.ShopSpec"].properties.names.maxItems, 10);
  const merged = await ask(server, "PATCH", `${path}/a`, { spec: { names: names(12).slice(1) } });
  assert.equal(merged.status, 422);
});

test("a rule that does not compile or may cost too much fails the start, with its place", async () => {
  const refused = (schema: typeof Shop, expected: RegExp) => assert.rejects(openTestServer({ plugins: [shops({}, schema)] }), expected);
  await refused(
    tree([{ rule: "self.replica > 1" }]),
    /plugin "shops": Shop: the rule "self.replica > 1" of spec cannot be compiled: .*undefined field 'replica'/s,
  );
  await refused(
    tree([], [{ rule: "self.all(a, self.all(b, self.all(c, self[a] + self[b] != self[c])))" }]),
    /plugin "shops": Shop: the rule "self.all.*" of spec.limits may cost \d+ units; at most 10000000 are allowed: publish maxItems/,
  );
});

/** Validation in code of the same mistakes, all marked. */
const inCode = ({ spec: { replicas = 0, size = "", names = [] } }: Shop): readonly FieldError[] =>
  [
    ...(replicas < 0 ? [invalid("spec.replicas", replicas, "in code")] : []),
    ...(replicas > 5 && size !== "large" ? [required("spec.size", "in code")] : []),
    ...(names.includes("") ? [invalid("spec.names", names, "in code")] : []),
  ].map(coveredByRule);
const unmarked = ({ spec: { size = "" } }: Shop): readonly FieldError[] => size === "none" ? [invalid("spec.size", size, "unmarked")] : [];
const compared = shops({ rules: "compared", create: (next) => [...inCode(next), ...unmarked(next)] });

test("compared rules are counted where they differ from the code, and the code decides", async () => {
  await using server = await openTestServer({ plugins: [compared], unexpectedErrors: "answer" });
  const create = (spec: object) => causes(server, "POST", path, shop("a", spec));
  assert.deepEqual(await create({ replicas: -1 }), ["FieldValueInvalid spec.replicas Invalid value: -1: in code"]);
  assert.equal(await mismatches(server), 0);
  assert.deepEqual(await create({ replicas: 6 }), ["FieldValueRequired spec.size Required value: in code"]);
  assert.equal(await mismatches(server), 2, "one only in code, one only by rules");
});

test("with the takeover the rules replace the marked errors; without the first gate they do not run", async () => {
  await using taken = await openTestServer({
    plugins: [compared],
    settings: { "feature-gates": { DeclarativeValidationTakeover: true } },
    unexpectedErrors: "answer",
  });
  assert.deepEqual(await causes(taken, "POST", path, shop("a", { replicas: -1, size: "none" })), [
    'FieldValueInvalid spec.size Invalid value: "none": unmarked',
    "FieldValueInvalid spec.replicas Invalid value: -1: must not be negative",
  ]);
  assert.equal(await mismatches(taken), 0);
  await using off = await openTestServer({ plugins: [compared], settings: { "feature-gates": { DeclarativeValidation: false } } });
  assert.deepEqual(await causes(off, "POST", path, shop("a", { replicas: 6 })), ["FieldValueRequired spec.size Required value: in code"]);
  assert.equal(await mismatches(off), 0);
});

test("kinds for which upstream declares checks have the same errors in code and declared, and with the takeover", async () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "" };
  const subjects = [{ kind: "User", name: "" }, { kind: "User", name: "x" }, { kind: "Group" }];
  const wrong = [
    [`${rbac}/namespaces/default/rolebindings`, { metadata: { name: "a" }, roleRef, subjects }, [
      "roleRef.name",
      "subjects[0].name",
      "subjects[2].name",
    ]],
    [`${rbac}/clusterrolebindings`, { metadata: { name: "a" }, roleRef: { ...roleRef, kind: "ClusterRole" } }, ["roleRef.name"]],
    ["/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "a" } }, ["provisioner"]],
  ] as const;
  for (const takeover of [false, true]) {
    await using server = await openTestServer({ settings: { "feature-gates": { DeclarativeValidationTakeover: takeover } } });
    for (const [url, body, fields] of wrong) {
      const expected = fields.map((name) => `FieldValueRequired ${name} Required value`);
      assert.deepEqual((await causes(server, "POST", url, body))?.toSorted(), expected, `${url}, takeover ${takeover}`);
    }
    assert.equal(await mismatches(server), 0);
  }
});
