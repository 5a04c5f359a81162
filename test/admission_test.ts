import assert from "node:assert/strict";
import { test } from "node:test";
import { upstreamOrder } from "../core/admission/order.ts";
import { plugins } from "../plugins/mod.ts";
import { openTestServer } from "../testing.ts";
import { type Answer, ask, type Handles } from "./requests.ts";

const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const claim = (storage: string) => ({
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});

async function withDefaultClass(server: Handles): Promise<Answer> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  await ask(server, "POST", "/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "fast", annotations },
    provisioner: "disks.example.com",
  });
  return await ask(server, "POST", claims, claim("1Gi"));
}

test("admission steps change an object before it is prepared, and reject it after validation", async () => {
  await using server = await openTestServer();
  const { status, body } = await withDefaultClass(server);
  assert.equal(status, 201);
  assert.equal(body.spec.storageClassName, "fast");
  assert.deepEqual(body.metadata.finalizers, ["kubernetes.io/pvc-protection"]);
  await ask(server, "PUT", `${claims}/data/status`, { ...body, status: { phase: "Bound", capacity: { storage: "1Gi" } } });
  const { body: bound } = await ask(server, "GET", `${claims}/data`);
  const grown = { ...bound, spec: { ...bound.spec, resources: { requests: { storage: "2Gi" } } } };
  const refused = await ask(server, "PUT", `${claims}/data`, grown);
  assert.equal(refused.status, 403);
  assert.match(refused.body.message, /^persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized/);
  const wrong = await ask(server, "PUT", `${claims}/data`, { ...grown, spec: { ...grown.spec, accessModes: [] } });
  assert.equal(wrong.status, 422, "validation precedes admission's rejection");
});

test("a disabled admission step does not run", async () => {
  await using server = await openTestServer({
    settings: { "disable-admission-plugins": ["DefaultStorageClass", "StorageObjectInUseProtection"] },
  });
  const { status, body } = await withDefaultClass(server);
  assert.equal(status, 201);
  assert.equal(body.spec.storageClassName, undefined);
  assert.equal(body.metadata.finalizers, undefined);
});

test("each step of the built-in plugins has upstream's name, and no name is listed twice", () => {
  const names = plugins.flatMap(({ admission = [] }) => admission.map(({ name }) => name));
  assert.deepEqual(names.filter((name) => !upstreamOrder.includes(name)), []);
  assert.equal(new Set(upstreamOrder).size, upstreamOrder.length);
});
