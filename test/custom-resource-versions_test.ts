// Objects of a definition whose versions have different fields: what a write through one version keeps of the other.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { ask } from "./requests.ts";

const group = "example.com", things = (version: string) => `/apis/${group}/${version}/things`;
const text = { type: "string" };
const version = (name: string, storage: boolean, properties: object, required: readonly string[] = []) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties, required } } } },
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group,
    names: { plural: "things", kind: "Thing" },
    scope: "Cluster",
    versions: [
      version("v1", true, { both: text, one: text }),
      version("v2", false, { both: text, two: { ...text, default: "usual" } }),
      version("v3", false, { both: text }),
      version("v4", false, { four: text }, ["four"]),
    ],
  },
};

interface Thing {
  readonly message?: string;
  readonly spec: object;
  readonly metadata: {
    readonly generation?: number;
    readonly resourceVersion?: string;
    readonly managedFields?: readonly { readonly apiVersion: string; readonly fieldsV1: object }[];
  };
}
const merge = "application/merge-patch+json", apply = "application/apply-patch+yaml";
const thing = (version: string, name: string, spec: object) => ({
  apiVersion: `${group}/${version}`,
  kind: "Thing",
  metadata: { name },
  spec,
});

async function serverWithVersions(): Promise<TestServer> {
  const server = await openTestServer();
  assert.equal((await ask(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)).status, 201);
  await until(async () => assert.equal((await ask(server, "GET", things("v1"))).status, 200));
  return server;
}
const owners = ({ metadata }: Thing) => metadata.managedFields?.map(({ apiVersion, fieldsV1 }) => [apiVersion, fieldsV1]);

test("the fields of a new object are owned in the version of the request, also those that are not stored", async () => {
  await using server = await serverWithVersions();
  const { status, body: made } = await ask(server, "POST", things("v2"), thing("v2", "a", { both: "b", two: "2" }));
  assert.deepEqual([status, made.spec], [201, { both: "b" }]);
  assert.deepEqual(owners(made), [["example.com/v2", { "f:spec": { ".": {}, "f:both": {}, "f:two": {} } }]]);
});

test("defaults of a version that is not stored are not added to stored objects", async () => {
  await using server = await serverWithVersions();
  await ask(server, "POST", things("v1"), thing("v1", "a", { both: "b" }));
  assert.deepEqual((await ask(server, "GET", `${things("v2")}/a`)).body.spec, { both: "b" });
});

test("an update with a field that the version of an owner lacks removes the managed fields", async () => {
  await using server = await serverWithVersions();
  await ask(server, "POST", things("v1"), thing("v1", "a", { one: "1", both: "b" }));
  const { body: kept } = await ask(server, "PATCH", `${things("v3")}/a`, { spec: { both: "3" } }, merge);
  assert.deepEqual(owners(kept)?.map(([version]) => version), ["example.com/v1", "example.com/v3"]);
  const { body: forgotten } = await ask(server, "PATCH", `${things("v2")}/a`, { spec: { both: "4" } }, merge);
  assert.deepEqual([forgotten.spec, owners(forgotten)], [{ both: "4" }, undefined]);
  // The object without managed fields gets none with an update.
  assert.equal(owners((await ask(server, "PATCH", `${things("v1")}/a`, { spec: { one: "5" } }, merge)).body), undefined);
});

test("an apply with a field that the version of an owner lacks is refused", async () => {
  await using server = await serverWithVersions();
  await ask(server, "POST", things("v3"), thing("v3", "a", { both: "b" }));
  const { status, body: { message } } = await ask(
    server,
    "PATCH",
    `${things("v1")}/a?fieldManager=m`,
    thing("v1", "a", { one: "1" }),
    apply,
  );
  assert.deepEqual([status, message], [500, "failed to convert new object: .spec.one: field not declared in schema"]);
});

test("an apply with a field that the version of the last apply lacks is refused", async () => {
  await using server = await serverWithVersions();
  await ask(server, "PATCH", `${things("v3")}/a?fieldManager=m`, thing("v3", "a", { both: "b" }), apply);
  const { status, body: { message } } = await ask(
    server,
    "PATCH",
    `${things("v1")}/a?fieldManager=m`,
    thing("v1", "a", { one: "1" }),
    apply,
  );
  assert.deepEqual([status, message], [
    500,
    "failed to prune fields: failed to convert merged object to last applied version: .spec.one: field not declared in schema",
  ]);
});

test("an object is validated before the fields that are not stored are removed", async () => {
  await using server = await serverWithVersions();
  const { status, body: made } = await ask(server, "POST", things("v4"), thing("v4", "a", { four: "4" }));
  assert.deepEqual([status, made.spec], [201, {}]);
  const { status: applied, body: after } = await ask(
    server,
    "PATCH",
    `${things("v4")}/a?fieldManager=m&force=true`,
    thing("v4", "a", { four: "5" }),
    apply,
  );
  assert.deepEqual([applied, after.spec], [200, {}]);
});

test("the generation counts changes of fields that the version of the request has", async () => {
  await using server = await serverWithVersions();
  const generation = async (version: string, spec: object) => {
    const { status, body: { metadata } } = await ask(server, "PATCH", `${things(version)}/a`, { spec }, merge);
    return [status, metadata.generation];
  };
  await ask(server, "POST", things("v1"), thing("v1", "a", { one: "1", both: "b" }));
  const { body: { metadata } } = await ask(server, "GET", `${things("v1")}/a`);
  const { resourceVersion } = metadata;
  const dropping = { ...thing("v3", "a", { both: "b" }), metadata: { name: "a", resourceVersion } };
  const { status, body: after } = await ask(server, "PUT", `${things("v3")}/a`, dropping);
  assert.deepEqual([status, after.spec, after.metadata.generation], [200, { both: "b" }, 1], "only a field was dropped");
  assert.notEqual(after.metadata.resourceVersion, resourceVersion);
  assert.deepEqual(await generation("v1", { both: "c" }), [200, 2]);
  assert.deepEqual(await generation("v2", { two: "not stored" }), [200, 3]);
});

test("defaults of the stored version are added after validation, to what is stored", async () => {
  await using server = await openTestServer();
  const spec = { type: "object", properties: { a: text } };
  const versions = [["v1", true, { ...spec, default: {} }], ["v2", false, { ...spec, required: ["a"] }]] as const;
  const made = {
    ...definition,
    spec: {
      ...definition.spec,
      versions: versions.map(([name, storage, spec]) => ({
        name,
        served: true,
        storage,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      })),
    },
  };
  assert.equal((await ask(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", made)).status, 201);
  await until(async () => assert.equal((await ask(server, "GET", things("v1"))).status, 200));
  const { spec: _, ...without } = thing("v2", "a", {});
  const { status, body: answer } = await ask(server, "POST", things("v2"), without);
  assert.deepEqual([status, answer.spec], [201, {}]);
});
