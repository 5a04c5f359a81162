// Custom resources with values of nearly ten thousand levels: every verb works, as in a kube-apiserver.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { ask } from "./requests.ts";

const group = "example.com", things = `/apis/${group}/v1/namespaces/default/things`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const free = { "x-kubernetes-preserve-unknown-fields": true };
const merge = "application/merge-patch+json", jsonPatch = "application/json-patch+json", apply = "application/apply-patch+yaml";

type Answer = readonly [status: number, message: string, body: any, text: string];
async function sent(server: TestServer, method: string, path: string, text?: string, type?: string): Promise<Answer> {
  const { status, text: answered, body } = await ask(server, method, path, text, type);
  return [status, body.message ?? "", body, answered];
}

const objects = (levels: number, leaf = "1") => `${'{"a":'.repeat(levels)}${leaf}${"}".repeat(levels)}`;
const lists = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
/** A schema whose free value is so many levels below its properties. */
function nestedSchema(levels: number): object {
  let schema: object = { type: "object", ...free };
  for (let i = 0; i < levels; i++) schema = { type: "object", properties: { a: schema } };
  return schema;
}
/** Levels of schemas in the definition, below the limit of decoding. */
const schemaLevels = 480;

async function serverOfThings(): Promise<TestServer> {
  const server = await openTestServer();
  const rules = [{ rule: "self == oldSelf || true" }];
  const properties = {
    object: { type: "object", ...free },
    any: free,
    checked: { type: "object", properties: { free }, "x-kubernetes-validations": rules },
    typed: nestedSchema(schemaLevels),
    items: { type: "array", items: { type: "string" } },
    pruned: { type: "object", additionalProperties: true },
  };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      names: { plural: "things", kind: "Thing" },
      scope: "Namespaced",
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties }, status: { type: "object", ...free } } },
        },
        subresources: { status: {} },
      }],
    },
  };
  assert.equal((await sent(server, "POST", definitions, JSON.stringify(definition)))[0], 201);
  await until(async () => assert.equal((await sent(server, "GET", things))[0], 200));
  return server;
}
const thing = (name: string, spec: string, resourceVersion = "") =>
  `{"apiVersion":"${group}/v1","kind":"Thing","metadata":{"name":"${name}"${
    resourceVersion === "" ? "" : `,"resourceVersion":"${resourceVersion}"`
  }},"spec":${spec}}`;

const values: Readonly<Record<string, (levels: number) => string>> = {
  "objects without a schema": (levels) => `{"object":${objects(levels)}}`,
  "lists without a schema": (levels) => `{"any":${lists(levels)}}`,
  "values that a rule compares": (levels) => `{"checked":{"free":${objects(levels)}}}`,
  "values below a deep schema": (levels) => `{"typed":${objects(levels)}}`,
  "lists whose items are pruned": (levels) => `{"pruned":{"a":${lists(levels)}}}`,
};

for (const [name, make] of Object.entries(values)) {
  test(`every verb accepts ${name}, nearly ten thousand levels`, async () => {
    await using server = await serverOfThings();
    for (const levels of [600, 2500, 9900]) {
      const spec = make(levels), own = `t${levels}`, path = `${things}/${own}`;
      const expect = async (status: number, method: string, at: string, body?: string, type?: string) => {
        const [actual, message, answer, text] = await sent(server, method, at, body, type);
        assert.equal(actual, status, `${method} ${type ?? ""} ${levels}: ${message}`);
        // JSON.stringify and deepEqual are recursive on Node.
        if (status === 201) assert.ok(text.includes(`"spec":${spec}`), `${method} ${levels} changes the value`);
        return answer;
      };
      const made = await expect(201, "POST", things, thing(own, spec));
      const same = await expect(200, "PUT", path, thing(own, spec, made.metadata.resourceVersion));
      assert.equal(same.metadata.resourceVersion, made.metadata.resourceVersion);
      await expect(200, "PATCH", path, '{"metadata":{"labels":{"a":"b"}}}', merge);
      await expect(200, "PATCH", path, `{"spec":${make(levels - 1)}}`, merge);
      await expect(200, "PATCH", path, `[{"op":"add","path":"/spec","value":${spec}}]`, jsonPatch);
      await expect(200, "PATCH", `${path}?fieldManager=m&force=true`, thing(own, make(levels - 2)), apply);
      const applied = await expect(200, "PATCH", `${path}?fieldManager=m&force=true`, thing(own, "{}"), apply);
      assert.notEqual(applied.metadata.managedFields, undefined);
      await expect(201, "PATCH", `${things}/${own}-new?fieldManager=m`, thing(`${own}-new`, spec), apply);
      await expect(200, "PATCH", `${path}/status`, `{"status":${objects(levels)}}`, merge);
      await expect(200, "PATCH", `${path}?dryRun=All`, '{"spec":{"items":["a"]}}', merge);
      await expect(200, "GET", things);
      await expect(200, "DELETE", path);
    }
  });
}

test("a deep value of a wrong type is an error with a Status", async () => {
  await using server = await serverOfThings();
  for (const levels of [600, 9900]) {
    const spec = `{"items":${objects(levels)}}`;
    assert.equal((await sent(server, "POST", things, thing("a", spec)))[0], 422);
    const [status, message] = await sent(server, "PATCH", `${things}/a?fieldManager=m`, thing("a", spec), apply);
    assert.equal(status, 500);
    assert.match(
      message,
      /^failed to create typed patch object \(\/a; example.com\/v1, Kind=Thing\): \.spec\.items: expected list, got /,
    );
  }
});

test("a definition whose schema is too deep is refused with a Status", async () => {
  await using server = await openTestServer();
  for (const [levels, wanted] of [[480, 201], [2000, 400], [4900, 400]] as const) {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `deep${levels}s.${group}` },
      spec: {
        group,
        names: { plural: `deep${levels}s`, kind: `Deep${levels}` },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: "SCHEMA" } }],
      },
    };
    const schema = `${'{"type":"object","properties":{"a":'.repeat(levels)}{"type":"object"}${"}}".repeat(levels)}`;
    const [status, message] = await sent(server, "POST", definitions, JSON.stringify(definition).replace('"SCHEMA"', schema));
    assert.equal(status, wanted, message);
  }
});
