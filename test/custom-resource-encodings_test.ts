// Custom resources have no form in protobuf: JSON is answered where it is accepted, too, and bodies are refused.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { send as request } from "./requests.ts";

const things = "/apis/example.com/v1/things", protobuf = "application/vnd.kubernetes.protobuf";
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "things", kind: "Thing" },
    scope: "Cluster",
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } } },
      subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
    }],
  },
};

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
const send = (server: TestServer, path: string, { method = "GET", headers = {}, body }: Sent = {}) =>
  request(server, method, path, body, { headers });
const post = (path: string, body: object) =>
  [path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }] as const;

async function serverWithThing(): Promise<TestServer> {
  const server = await openTestServer();
  assert.equal((await send(server, ...post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition))).status, 201);
  await until(async () => assert.equal((await send(server, things)).status, 200));
  const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "one" }, spec: { size: 1 } };
  assert.equal((await send(server, ...post(things, thing))).status, 201);
  return server;
}

test("protobuf alone is not acceptable for custom resources; JSON is answered where it is second", async () => {
  await using server = await serverWithThing();
  for (const path of [things, `${things}/one`, `${things}/one/status`, `${things}/one/scale`, `${things}?watch=1&timeoutSeconds=1`]) {
    const refused = await send(server, path, { headers: { accept: protobuf } });
    assert.deepEqual([refused.status, refused.headers.get("content-type")], [406, protobuf], path);
    assert.match(
      await refused.text(),
      /only the following media types are accepted: application\/json, application\/yaml, application\/vnd/,
    );
  }
  for (const accept of [`${protobuf}, application/json`, `${protobuf}, */*`]) {
    const { status, headers } = await send(server, `${things}/one`, { headers: { accept } });
    assert.deepEqual([status, headers.get("content-type")], [200, "application/json"]);
  }
  const metadata = await send(server, `${things}/one`, { headers: { accept: `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io` } });
  assert.deepEqual([metadata.status, metadata.headers.get("content-type")], [200, protobuf]);
  const other = await send(server, `${things}/one`, { headers: { accept: "text/plain" } });
  assert.match((await other.json()).message, /^only the following media types are accepted: /);
});

test("bodies in protobuf and strategic merge patches of custom resources are unsupported, and the message lists what is supported", async () => {
  await using server = await serverWithThing();
  for (const [method, path] of [["POST", things], ["PUT", `${things}/one`], ["PUT", `${things}/one/status`]] as const) {
    const refused = await send(server, path, { method, headers: { "content-type": protobuf }, body: "k8s\0" });
    assert.equal(refused.status, 415, path);
    assert.match((await refused.json()).message, /: application\/json, application\/yaml$/);
  }
  for (const type of ["application/strategic-merge-patch+json", "text/plain"]) {
    const refused = await send(server, `${things}/one`, { method: "PATCH", headers: { "content-type": type }, body: "{}" });
    const { code, message, details } = await refused.json();
    const accepted = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    assert.deepEqual([code, message, details], [
      415,
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
      undefined,
    ]);
  }
});
