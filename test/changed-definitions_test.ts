// Custom resources after a change of their definition, and defaults of a status that a write removes.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { ask } from "./requests.ts";

const things = "/apis/example.com/v1/namespaces/default/things";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = "application/merge-patch+json", apply = "application/apply-patch+yaml";

/** A server with the definition of things whose schema has these properties. */
async function serverOf(properties: object): Promise<TestServer> {
  const server = await openTestServer();
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "things", kind: "Thing" },
      scope: "Namespaced",
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties } },
        subresources: { status: {} },
      }],
    },
  };
  assert.equal((await ask(server, "POST", definitions, definition)).status, 201);
  await until(async () => assert.equal((await ask(server, "GET", things)).status, 200));
  return server;
}

/** Replaces the properties of the schema, and waits until they are in force. */
async function change(server: TestServer, properties: object): Promise<void> {
  const patch = [
    { op: "replace", path: "/spec/versions/0/schema/openAPIV3Schema/properties", value: properties },
    { op: "add", path: "/spec/names/shortNames", value: ["changed"] },
  ];
  const { status, body: answer } = await ask(server, "PATCH", `${definitions}/things.example.com`, patch, "application/json-patch+json");
  assert.equal(status, 200, answer.message);
  await until(async () => {
    const { body: { resources } } = await ask(server, "GET", "/apis/example.com/v1");
    assert.deepEqual(resources.find(({ name }: { name: string }) => name === "things").shortNames, ["changed"]);
  });
}
const thing = (spec: unknown) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec });

test("an update of an object without the types of its definition keeps its managed fields, and an apply is refused", async () => {
  await using server = await serverOf({ spec: { type: "object", properties: { size: { type: "integer" } } } });
  const { body: made } = await ask(server, "POST", things, thing({ size: 1 }));
  assert.equal(made.metadata.managedFields.length, 1);
  await change(server, { spec: { type: "string" } });
  const { status: refused, body: { message } } = await ask(
    server,
    "PATCH",
    `${things}/a?fieldManager=m`,
    { ...thing("text"), metadata: { name: "a" } },
    apply,
  );
  assert.deepEqual([refused, message], [
    500,
    "failed to create typed live object (default/a; example.com/v1, Kind=Thing): .spec: expected string, got &value.valueUnstructured" +
    "{Value:map[string]interface {}{}}",
  ]);
  const { status, body: after } = await ask(server, "PATCH", `${things}/a`, { metadata: { labels: { a: "b" } } }, merge);
  assert.deepEqual([status, after.metadata.managedFields], [200, made.metadata.managedFields]);
});

test("a status that a write removes has its default in the response", async () => {
  await using server = await serverOf({
    spec: { type: "object" },
    status: { type: "object", default: { phase: "New" }, properties: { phase: { type: "string" } } },
  });
  for (const sent of [{}, { status: { phase: "Sent" } }]) {
    const { status, body: made } = await ask(server, "POST", things, { ...thing({}), ...sent });
    assert.deepEqual([status, made.status], [201, { phase: "New" }]);
    assert.deepEqual((await ask(server, "GET", `${things}/a`)).body.status, { phase: "New" });
    await ask(server, "DELETE", `${things}/a`);
  }
});

test("a null that no schema describes stays", async () => {
  const free = { "x-kubernetes-preserve-unknown-fields": true };
  await using server = await serverOf({ spec: { type: "object", properties: { known: { type: "string" } }, ...free } });
  const { body: made } = await ask(server, "POST", things, thing({ known: null, unknown: null }));
  assert.deepEqual(made.spec, { unknown: null });
});

test("an invalid value that has not changed is no error, unless it has members without a schema", async () => {
  const map = (max: object) => ({
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { known: { type: "string" } },
    ...max,
  });
  await using server = await serverOf({ spec: { type: "object", properties: { map: map({}) } } });
  const objects = { a: { known: "k" }, b: { unknown: 1 } };
  for (const [name, value] of Object.entries(objects)) {
    assert.equal((await ask(server, "POST", things, { ...thing({ map: value }), metadata: { name } })).status, 201);
  }
  await change(server, { spec: { type: "object", properties: { map: map({ maxProperties: 0 }) } } });
  const labelled = (name: string) => ask(server, "PATCH", `${things}/${name}`, { metadata: { labels: { x: "y" } } }, merge);
  assert.equal((await labelled("a")).status, 200);
  const { status, body: { message } } = await labelled("b");
  assert.deepEqual([status, message], [422, 'Thing.example.com "b" is invalid: spec.map: Too many: 1: must have at most 0 items']);
});

test("an integer that a JSON body writes with a fraction is none for rules", async () => {
  const three = { type: "integer", "x-kubernetes-validations": [{ rule: "self == 3" }] };
  const both = { type: "object", properties: { n: { type: "integer" } }, "x-kubernetes-validations": [{ rule: "self.n == 3" }] };
  await using server = await serverOf({
    root: three,
    spec: { type: "object", properties: { three, both, list: { type: "array", items: three } } },
  });
  const post = async (contents: string, type = "application/json") => {
    const text = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},${contents}}`;
    const { status, body: { details } } = await ask(server, "POST", `${things}?dryRun=All`, text, type);
    return status === 201 ? "accepted" : `${details.causes[0].field} ${details.causes[0].message}`;
  };
  const wrong = (field: string, rule: string, type = "integer") =>
    `${field} Invalid value: "${type}": invalid data, expected int, got float64 evaluating rule: ${rule}`;
  assert.equal(await post('"spec":{"three":3}'), "accepted");
  assert.equal(await post('"spec":{"three":3.0}'), wrong("spec.three", "self == 3"));
  assert.equal(await post('"spec":{"three":3.0}', "application/yaml"), "accepted");
  assert.equal(await post('"root":3.0'), wrong("root", "self == 3"));
  assert.equal(await post('"spec":{"list":[3,3e0]}'), wrong("spec.list[1]", "self == 3"));
  assert.equal(await post('"spec":{"both":{"n":3.0}}'), wrong("spec.both", "self.n == 3", "object"));
});

test("a new object whose status has a wrong type has no managed fields; the status is dropped", async () => {
  await using server = await serverOf({ spec: { type: "object" }, status: { type: "object" } });
  const { status, body: made } = await ask(server, "POST", things, { ...thing({}), status: 1 });
  assert.deepEqual([status, made.status, made.metadata.managedFields], [201, undefined, undefined]);
});

test("a null kind or metadata of an embedded resource is absent if the schema declares it", async () => {
  const embedded = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
  await using server = await serverOf({ spec: { ...embedded, properties: { kind: { type: "string" }, metadata: { type: "object" } } } });
  const { status, body: { message } } = await ask(server, "POST", things, thing({ apiVersion: "v1", kind: null }));
  assert.deepEqual([status, message], [422, 'Thing.example.com "a" is invalid: spec.kind: Required value']);
  const { body: made } = await ask(server, "POST", things, thing({ apiVersion: "v1", kind: "Other", metadata: null }));
  assert.deepEqual(made.spec, { apiVersion: "v1", kind: "Other" });
});

test("a root that keeps unknown members keeps their nulls", async () => {
  await using server = await openTestServer();
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: { group: "example.com", names: { plural: "things", kind: "Thing" }, scope: "Namespaced", versions: [version] },
  };
  assert.equal((await ask(server, "POST", definitions, definition)).status, 201);
  await until(async () => assert.equal((await ask(server, "GET", things)).status, 200));
  const { status, body: made } = await ask(server, "POST", things, { ...thing({}), other: null });
  assert.deepEqual([status, made.other], [201, null]);
  assert.equal((await ask(server, "GET", `${things}/a`)).body.other, null);
});
