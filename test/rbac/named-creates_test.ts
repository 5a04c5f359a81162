// A role with `resourceNames` for create: what it grants and what it does not protect, as in kube-apiserver.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { until } from "../real-server.ts";
import { done, send } from "../requests.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1", group = "rbac.authorization.k8s.io";
const things = "/apis/example.org/v1/namespaces/default/things", configMaps = "/api/v1/namespaces/default/configmaps";

test("names of a role for create are those in the path: they do not limit the name of a created custom resource", async () => {
  await using server = await openTestServer({ settings: { "authorization-mode": ["RBAC"] } });
  const mallory = { name: "mallory", groups: ["system:authenticated"] };
  const ask = async (method: string, path: string, body: object) => {
    const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
    return (await send(server, method, path, body, { type, user: mallory })).status;
  };
  const admin = (path: string, body: object) => done(server, "POST", path, body);
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await admin("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "things.example.org" },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  await admin(`${rbac}/clusterroles`, {
    metadata: { name: "one" },
    rules: [{ apiGroups: ["example.org", ""], resources: ["things", "configmaps"], resourceNames: ["a", "c"], verbs: ["create", "patch"] }],
  });
  await admin(`${rbac}/clusterrolebindings`, {
    metadata: { name: "one" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "one" },
    subjects: [{ kind: "User", apiGroup: group, name: "mallory" }],
  });
  const thing = (name: string) => ({ apiVersion: "example.org/v1", kind: "Thing", metadata: { name } });
  const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  // The definition is served, and the rights are known, a moment after they were created.
  await until(async () => assert.equal(await ask("PATCH", `${things}/a?fieldManager=m`, thing("a")), 201));
  // A request without a name in its path has no name, so the role grants it nothing.
  assert.deepEqual([await ask("POST", things, thing("c")), await ask("POST", configMaps, configMap("c"))], [403, 403]);
  // Apply has the name in its path.
  assert.equal(await ask("PATCH", `${configMaps}/a?fieldManager=m`, configMap("a")), 201);
  assert.equal(await ask("PATCH", `${things}/b?fieldManager=m`, thing("b")), 403);
  // A POST to a name: the name in the path is authorized, and that in the body is created.
  assert.equal(await ask("POST", `${things}/a`, thing("b")), 201);
  assert.equal(await ask("POST", `${configMaps}/a`, configMap("b")), 405);
});
