// Definitions through the API: defaults, the form of stored schemas, and what decoding reports.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
async function post(server: TestServer, spec: object): Promise<{ readonly status: number; readonly body: any; readonly warning: string }> {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec,
  };
  const { status, body, headers } = await ask(server, "POST", `${path}?dryRun=All`, definition);
  return { status, body, warning: headers.get("warning") ?? "" };
}
const spec = (schema: object) => ({
  group: "example.com",
  names: { plural: "things", kind: "Thing" },
  scope: "Cluster",
  versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
});

test("a definition is created with its defaults; values of schemas have sorted keys", async () => {
  await using server = await openTestServer();
  const { status, body } = await post(server, spec({ type: "object", example: { b: 1, a: { d: 1, c: 2 } }, items: null }));
  assert.equal(status, 201);
  assert.deepEqual(body.spec.names, { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" });
  assert.deepEqual(body.spec.conversion, { strategy: "None" });
  assert.deepEqual(body.status, { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] });
  assert.equal(JSON.stringify(body.spec.versions[0].schema.openAPIV3Schema), '{"type":"object","example":{"a":{"c":2,"d":1},"b":1}}');
});

test("unknown fields below items are not reported, wrong types there are, with the whole path", async () => {
  await using server = await openTestServer();
  const { warning } = await post(
    server,
    spec({ type: "object", foo: 1, properties: { a: { type: "array", items: { type: "string", foo: 1 } } } }),
  );
  assert.equal(warning, '299 - "unknown field \\"spec.versions[0].schema.openAPIV3Schema.foo\\""');
  const { status, body } = await post(
    server,
    spec({ type: "object", properties: { a: { items: { additionalProperties: { maximum: "x" } } } } }),
  );
  assert.equal(status, 400);
  assert.match(
    body.message,
    /: json: cannot unmarshal string into Go struct field JSONSchemaProps\.spec\.versions\.schema\.openAPIV3Schema\.properties\.items\.additionalProperties\.maximum of type float64$/,
  );
});
