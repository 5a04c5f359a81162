import assert from "node:assert/strict";
import { request } from "node:https";
import { test } from "node:test";
import { upstreamOrder } from "../core/admission/order.ts";
import { plugins } from "../plugins/mod.ts";
import { startTestServer, type TestServer } from "./harness.ts";

async function send(server: TestServer, method: string, path: string, body?: unknown): Promise<{ status: number; json: any }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; json: any }>();
  const headers = { authorization: `Bearer ${server.tokens.admin}`, "content-type": "application/json", connection: "close" };
  const sent = request(`${server.url}${path}`, { method, ca: server.ca, headers, timeout: 60_000 }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (piece) => text += piece).on(
      "end",
      () => resolve({ status: answer.statusCode ?? 0, json: JSON.parse(text) }),
    );
  });
  sent.on("error", reject).on("timeout", () => sent.destroy(new Error("no answer")));
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return await promise;
}

const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const claim = (storage: string) => ({
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});

async function withDefaultClass(server: TestServer): Promise<{ status: number; json: any }> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  await send(server, "POST", "/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "fast", annotations },
    provisioner: "disks.example.com",
  });
  return await send(server, "POST", claims, claim("1Gi"));
}

test("admission steps change an object before it is prepared, and reject it after validation", async () => {
  const server = await startTestServer();
  try {
    const { status, json } = await withDefaultClass(server);
    assert.equal(status, 201);
    assert.equal(json.spec.storageClassName, "fast");
    assert.deepEqual(json.metadata.finalizers, ["kubernetes.io/pvc-protection"]);
    await send(server, "PUT", `${claims}/data/status`, { ...json, status: { phase: "Bound", capacity: { storage: "1Gi" } } });
    const { json: bound } = await send(server, "GET", `${claims}/data`);
    const grown = { ...bound, spec: { ...bound.spec, resources: { requests: { storage: "2Gi" } } } };
    const refused = await send(server, "PUT", `${claims}/data`, grown);
    assert.equal(refused.status, 403);
    assert.match(refused.json.message, /^persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized/);
    const wrong = await send(server, "PUT", `${claims}/data`, { ...grown, spec: { ...grown.spec, accessModes: [] } });
    assert.equal(wrong.status, 422, "validation precedes admission's rejection");
  } finally {
    await server.close();
  }
});

test("a disabled admission step does not run", async () => {
  const server = await startTestServer({ args: ["--disable-admission-plugins=DefaultStorageClass,StorageObjectInUseProtection"] });
  try {
    const { status, json } = await withDefaultClass(server);
    assert.equal(status, 201);
    assert.equal(json.spec.storageClassName, undefined);
    assert.equal(json.metadata.finalizers, undefined);
  } finally {
    await server.close();
  }
});

test("each step of the built-in plugins has upstream's name, and no name is listed twice", () => {
  const names = plugins.flatMap(({ admission = [] }) => admission.map(({ name }) => name));
  assert.deepEqual(names.filter((name) => !upstreamOrder.includes(name)), []);
  assert.equal(new Set(upstreamOrder).size, upstreamOrder.length);
});
