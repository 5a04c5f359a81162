// What OpenAPI documents publish of custom resources.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { done } from "./requests.ts";

const get = (server: TestServer, path: string) => done(server, "GET", path, undefined, { accept: "application/json" });

async function withKind(schema: object, group = "example.com", subresources: object = {}): Promise<TestServer> {
  const server = await openTestServer();
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}`, annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1" } },
    spec: {
      group,
      names: { plural: "things", kind: "Thing" },
      scope: "Cluster",
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", description: "A thing.", ...schema } },
        subresources,
        selectableFields: [{ jsonPath: ".spec.size" }],
      }],
    },
  };
  await done(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body);
  await until(() => get(server, `/apis/${group}/v1/things`));
  return server;
}

const spec = { properties: { spec: { type: "object", properties: { size: { type: "string" } } } } };
const selectable = [{ fieldPath: "spec.size" }];
const gvk = [{ group: "example.com", kind: "Thing", version: "v1" }];

test("a kind and its list are published with selectable fields, and without default values in version 3", async () => {
  await using server = await withKind(spec);
  const { schemas } = (await get(server, "/openapi/v3/apis/example.com/v1")).components;
  const thing = schemas["com.example.v1.Thing"], list = schemas["com.example.v1.ThingList"];
  assert.deepEqual(thing["x-kubernetes-selectable-fields"], selectable);
  assert.deepEqual(list["x-kubernetes-selectable-fields"], selectable);
  assert.deepEqual(list.properties.items.items, { $ref: "#/components/schemas/com.example.v1.Thing" });
  for (const { properties: { metadata } } of [thing, list]) assert.equal(Object.hasOwn(metadata, "default"), false);
  const { definitions } = await get(server, "/openapi/v2");
  for (const name of ["Thing", "ThingList"]) {
    assert.deepEqual(definitions[`com.example.v1.${name}`]["x-kubernetes-selectable-fields"], selectable);
  }
});

test("the components of a group below the domain of Kubernetes have the reversed name of the group", async () => {
  const group = "gateway.networking.k8s.io";
  await using server = await withKind(spec, group);
  const { schemas } = (await get(server, `/openapi/v3/apis/${group}/v1`)).components;
  const own = Object.keys(schemas).filter((name) => name.includes("Thing"));
  assert.deepEqual(own, ["io.k8s.networking.gateway.v1.Thing", "io.k8s.networking.gateway.v1.ThingList"]);
});

test("metadata of an embedded resource refers to ObjectMeta as in kinds", async () => {
  await using server = await withKind({
    properties: {
      ...spec.properties,
      inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    },
  });
  const { schemas } = (await get(server, "/openapi/v3/apis/example.com/v1")).components;
  const { metadata } = schemas["com.example.v1.Thing"].properties.inner.properties;
  assert.deepEqual(metadata.allOf, [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }]);
});

test("version 2 publishes no properties of a kind that keeps unknown members", async () => {
  await using server = await withKind({ ...spec, "x-kubernetes-preserve-unknown-fields": true });
  const { definitions } = await get(server, "/openapi/v2");
  assert.deepEqual(definitions["com.example.v1.Thing"], {
    type: "object",
    "x-kubernetes-group-version-kind": gvk,
    "x-kubernetes-selectable-fields": selectable,
  });
  const { schemas } = (await get(server, "/openapi/v3/apis/example.com/v1")).components;
  assert.deepEqual(Object.keys(schemas["com.example.v1.Thing"].properties), ["apiVersion", "kind", "metadata", "spec"]);
});

// As the builder of apiextensions-apiserver makes them: other media types, parameters and responses than for built-in kinds.
test("operations of a custom resource have the media types, parameters and responses of upstream's documents", async () => {
  await using server = await withKind(
    spec,
    "example.com",
    { scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" }, status: {} },
  );
  const root = "/apis/example.com/v1", plain = ["application/json", "application/yaml"];
  const { paths, info, components } = await get(server, "/openapi/v3/apis/example.com/v1");
  assert.deepEqual([info, components.securitySchemes], [{ title: "Kubernetes CRD Swagger", version: "v0.1.0" }, undefined]);
  const all = [`${root}/things`, `${root}/things/{name}`, `${root}/things/{name}/scale`, `${root}/things/{name}/status`];
  assert.deepEqual(Object.keys(paths), all, "no path of discovery or of watches");
  assert.deepEqual(Object.keys(components.schemas).filter((name) => /WatchEvent|APIResource/.test(name)), []);
  const { get: list, post, delete: collection } = paths[all[0]!], one = paths[all[1]!], scale = paths[all[2]!];
  const queries = ({ parameters = [] }: any) => parameters.map(({ name }: any) => name);
  for (const { responses } of [list, post, collection, ...["get", "put", "patch", "delete"].map((method) => one[method])]) {
    for (const { content = {} } of Object.values<any>(responses).slice(0, -1)) assert.deepEqual(Object.keys(content), plain);
  }
  for (const { requestBody } of [post, one.put, one.delete, scale.put]) assert.deepEqual(Object.keys(requestBody.content), plain);
  assert.deepEqual(Object.keys(one.patch.requestBody.content), [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
  ]);
  assert.deepEqual([queries(collection), collection.requestBody], [queries(list), undefined]);
  assert.deepEqual([queries(list).includes("watch"), queries(one.get), queries(scale.get)], [true, ["resourceVersion"], [
    "resourceVersion",
  ]]);
  assert.deepEqual([Object.keys(one.put.responses), Object.keys(one.patch.responses)], [["200", "201", "401"], ["200", "401"]]);
  assert.deepEqual(scale.get["x-kubernetes-group-version-kind"], gvk[0]);

  const v2 = await get(server, "/openapi/v2");
  assert.deepEqual(Object.keys(v2.paths).filter((path) => path.startsWith(root)), all);
  const { get: listed, patch } = { ...v2.paths[all[0]!], ...v2.paths[all[1]!] };
  assert.deepEqual([v2.paths[all[0]!].get.consumes, listed.produces, patch.produces], [plain, plain, plain]);
  assert.deepEqual(patch.consumes, ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"]);
});

test("version 2 publishes the rules of a schema", async () => {
  const rules = [{ rule: "self.size != 'x'", message: "not x" }];
  await using server = await withKind({
    properties: { spec: { ...spec.properties.spec, "x-kubernetes-validations": rules } },
    "x-kubernetes-validations": [{ rule: "has(self.spec)" }],
  });
  const thing = (await get(server, "/openapi/v2")).definitions["com.example.v1.Thing"];
  assert.deepEqual(thing["x-kubernetes-validations"], [{ rule: "has(self.spec)" }]);
  assert.deepEqual(thing.properties.spec["x-kubernetes-validations"], rules);
});
