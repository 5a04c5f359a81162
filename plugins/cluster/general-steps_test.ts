import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { generalSteps } from "./general-steps.ts";

const body = (kind: string, apiVersion = "v1", more: object = {}) => JSON.stringify({ kind, apiVersion, metadata: { name: "a" }, ...more });

test("NamespaceAutoProvision creates the namespace of a new object as the server itself; NamespaceExists rejects the other writes", async () => {
  const enabled = ["NamespaceAutoProvision", "NamespaceExists", "AlwaysAdmit"];
  await using server = await openTestServer({ settings: { "enable-admission-plugins": enabled } });
  const send = async (method: string, path: string, text?: string) => {
    const headers = { "content-type": "application/json" }, sent = text === undefined ? { method } : { method, headers, body: text };
    const response = await server.handle(new Request(`https://test${path}`, sent));
    return { code: response.status, json: await response.json() };
  };
  const codeOf = async (name: string) => (await send("GET", `/api/v1/namespaces/${name}`)).code;
  assert.equal((await send("POST", "/api/v1/namespaces/one/configmaps?dryRun=All", body("ConfigMap"))).code, 404);
  assert.equal(await codeOf("one"), 404);
  assert.equal((await send("POST", "/api/v1/namespaces/one/configmaps", body("ConfigMap"))).code, 201);
  const { json: { metadata: { labels, managedFields: [{ manager }] }, status } } = await send("GET", "/api/v1/namespaces/one");
  assert.deepEqual([labels, manager, status], [{ "kubernetes.io/metadata.name": "one" }, "kube-apiserver", { phase: "Active" }]);
  const eviction = await send("POST", "/api/v1/namespaces/two/pods/a/eviction", body("Eviction", "policy/v1"));
  assert.equal(eviction.json.message, 'pods "a" not found');
  const review = body("LocalSubjectAccessReview", "authorization.k8s.io/v1", {
    metadata: { namespace: "three" },
    spec: { user: "u", resourceAttributes: { namespace: "three" } },
  });
  assert.equal((await send("POST", "/apis/authorization.k8s.io/v1/namespaces/three/localsubjectaccessreviews", review)).code, 201);
  assert.deepEqual([await codeOf("two"), await codeOf("three")], [200, 200]);
  const wrong = await send("POST", "/api/v1/namespaces/A/configmaps", body("ConfigMap"));
  assert.equal(wrong.code, 403);
  assert.match(wrong.json.message, /^configmaps "a" is forbidden: Namespace "A" is invalid: /);
});

test("NamespaceExists looks at every write of an object in a namespace", async () => {
  const { refuse, refuseDelete, refuseAction } = generalSteps.find(({ name }) => name === "NamespaceExists")!;
  const contextOf = (namespace: string): any => ({ // `any`: only what the step uses
    request: { namespace },
    read: { get: (...[, , , name]: string[]) => Promise.resolve(name === "here" ? {} : undefined) },
  });
  for (const namespace of ["", "here"]) assert.equal(await refuse!({}, {}, contextOf(namespace)), undefined);
  const missing = /namespaces "gone" not found/;
  await assert.rejects(async () => await refuse!({}, {}, contextOf("gone")), missing);
  await assert.rejects(async () => await refuseDelete!({}, contextOf("gone")), missing);
  await assert.rejects(async () => await refuseAction!({}, "eviction", contextOf("gone")), missing);
});

test("AlwaysDeny rejects before validation, under the name that a client has sent", () => {
  const { mutate, mutateAction, refuseAction, refuseDelete } = generalSteps.find(({ name }) => name === "AlwaysDeny")!;
  const context: any = { resource: { group: "apps", plural: "deployments" }, requestName: "b" }; // `any`: only what the step uses
  const text = "admission control is denying all modifications";
  for (const [metadata, name] of [[{ name: "a" }, "a"], [{ generateName: "g-" }, "g-"], [{}, "Unknown"]] as const) {
    assert.throws(() => mutate!({ metadata }, undefined, context), { message: `deployments.apps "${name}" is forbidden: ${text}` });
  }
  assert.throws(() => mutateAction!({}, "scale", context), { message: `deployments.apps "b" is forbidden: ${text}` });
  assert.deepEqual([refuseDelete!({}, context), refuseAction!(undefined, "x", context)], [text, text]);
});
