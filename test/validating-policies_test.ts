// Validating policies are in force for every way to write: small and large bodies, updates, patches, applies, deletions and subresources.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../core/limits.ts";
import type { Server } from "../kernel/server.ts";
import { statusOf, withHeavyThread } from "./heavy-server.ts";
import { until } from "./real-server.ts";

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const configMaps = "/api/v1/namespaces/default/configmaps";

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };
const policy = (name: string, expression: string) => ({
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
});
const binding = (name: string, changes: object = {}) => ({
  metadata: { name },
  spec: { policyName: name, validationActions: ["Deny"], ...changes },
});
const configMap = (name: string, data: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

async function bound(server: Server, name: string, expression: string): Promise<void> {
  assert.equal(await statusOf(server, "POST", policies, policy(name, expression)), 201);
  assert.equal(await statusOf(server, "POST", bindings, binding(name)), 201);
}

test(
  "a policy rejects every operation that it covers, in the heavy thread too",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      assert.equal(await statusOf(server, "POST", configMaps, configMap("kept", { locked: "yes" })), 201);
      await bound(server, "locked", "!(request.operation == 'DELETE' ? oldObject : object).?data.locked.hasValue()");
      const long = "x".repeat(limits.inlineBodyBytesMax + 1);
      await until(async () => assert.equal(await statusOf(server, "POST", configMaps, configMap("small", { locked: "yes" })), 422));
      assert.equal(jobs(), 0);
      assert.equal(await statusOf(server, "POST", configMaps, configMap("large", { locked: "yes", long })), 422);
      assert.equal(jobs(), 1);
      assert.equal(await statusOf(server, "POST", configMaps, configMap("free", { long })), 201);
      assert.equal(await statusOf(server, "PATCH", `${configMaps}/free`, { data: { locked: "yes" } }), 422);
      assert.equal(await statusOf(server, "PUT", `${configMaps}/kept`, configMap("kept", { locked: "no" })), 422);
      assert.equal(await statusOf(server, "DELETE", `${configMaps}/kept`), 422);
      assert.equal(await statusOf(server, "DELETE", configMaps), 422);
      assert.equal(await statusOf(server, "GET", `${configMaps}/kept`), 200);
      // Without its binding the policy has no effect.
      assert.equal(await statusOf(server, "DELETE", `${bindings}/locked`), 200);
      await until(async () => assert.equal(await statusOf(server, "DELETE", `${configMaps}/kept?dryRun=All`), 200));
      assert.equal(await statusOf(server, "POST", configMaps, configMap("later", { locked: "yes", long })), 201);
    }),
);

test(
  "a changed policy is compiled again, and a binding narrows what it covers",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server) => {
      await bound(server, "short", "size(object.metadata.name) < 5");
      const create = (name: string) => statusOf(server, "POST", `${configMaps}?dryRun=All`, configMap(name));
      await until(async () => assert.equal(await create("longer"), 422));
      const longer = { spec: { validations: [{ expression: "size(object.metadata.name) < 10" }] } };
      assert.equal(await statusOf(server, "PATCH", `${policies}/short`, longer), 200);
      await until(async () => assert.equal(await create("longer"), 201));
      assert.equal(await create("much-longer-name"), 422);
      const narrow = { spec: { matchResources: { namespaceSelector: { matchLabels: { team: "a" } } } } };
      assert.equal(await statusOf(server, "PATCH", `${bindings}/short`, narrow), 200);
      await until(async () => assert.equal(await create("much-longer-name"), 201));
      assert.equal(await statusOf(server, "PATCH", "/api/v1/namespaces/default", { metadata: { labels: { team: "a" } } }), 200);
      await until(async () => assert.equal(await create("much-longer-name"), 422));
    }),
);

test(
  "a policy that matches everything cannot lock out the removal of policies",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server) => {
      const all = { ...rule, apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
      const never = {
        metadata: { name: "never" },
        spec: { matchConstraints: { resourceRules: [all] }, validations: [{ expression: "false" }] },
      };
      assert.equal(await statusOf(server, "POST", policies, never), 201);
      assert.equal(await statusOf(server, "POST", bindings, binding("never")), 201);
      await until(async () => assert.equal(await statusOf(server, "POST", `${configMaps}?dryRun=All`, configMap("a")), 422));
      assert.equal(await statusOf(server, "PATCH", `${policies}/never`, { metadata: { labels: { a: "b" } } }), 200);
      assert.equal(await statusOf(server, "DELETE", `${bindings}/never`), 200);
      await until(async () => assert.equal(await statusOf(server, "POST", configMaps, configMap("a")), 201));
    }),
);
