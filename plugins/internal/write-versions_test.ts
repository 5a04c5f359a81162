// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeContext, openTestServer } from "../../testing.ts";
import { statusWith, writeVersions } from "./write-versions.ts";

const now = "2024-05-01T10:00:00Z", later = "2024-05-01T11:00:00Z";
const server = (apiServerID: string, encodingVersion: string) => ({ apiServerID, encodingVersion, decodableVersions: [encodingVersion] });

test("the common version and its condition follow from the versions of all servers", () => {
  const condition = (status: string, lastTransitionTime: string) => {
    const set = status === "True" ? "Set" : "Unset", message = `Common encoding version ${set.toLowerCase()}`;
    return [{ type: "AllEncodingVersionsEqual", status, lastTransitionTime, reason: `CommonEncodingVersion${set}`, message }];
  };
  const one = statusWith({}, server("a", "v1"), now);
  assert.deepEqual(one, { storageVersions: [server("a", "v1")], commonEncodingVersion: "v1", conditions: condition("True", now) });
  assert.deepEqual(statusWith(one, server("a", "v1"), later), one, "the same versions change nothing");
  assert.deepEqual(statusWith(one, server("a", "v2"), later).conditions, condition("True", later), "another common version is a change");
  const both = statusWith(one, server("b", "v2"), later);
  assert.deepEqual(both, { storageVersions: [server("a", "v1"), server("b", "v2")], conditions: condition("False", later) });
});

test("a server writes the versions of each resource that it stores", async () => {
  await using opened = await openTestServer({
    settings: { "runtime-config": { "internal.apiserver.k8s.io/v1alpha1": true }, "feature-gates": { StorageVersionAPI: true } },
  });
  const { api } = opened, at = "internal.apiserver.{domain}/v1alpha1";
  const list = async () => (await api.list(at, "storageversions", "")).items as any[];
  const stored = (await list()).map(({ metadata: { name }, status }) => [name, status.commonEncodingVersion]);
  assert.deepEqual(stored.filter(([name]) => ["core.pods", "apps.deployments", "autoscaling.horizontalpodautoscalers"].includes(name)), [
    ["apps.deployments", "apps/v1"],
    ["autoscaling.horizontalpodautoscalers", "autoscaling/v2"],
    ["core.pods", "v1"],
  ]);
  assert.ok(!stored.some(([name]) => name.startsWith("authorization.k8s.io.")), "reviews are not stored");
  assert.ok(!stored.some(([name]) => name.startsWith("storagemigration.k8s.io.")), "no version of it is served");
  const servedIn = async (wanted: string) =>
    (await list()).find(({ metadata: { name } }) => name === wanted).status.storageVersions[0].servedVersions;
  assert.deepEqual(await servedIn("autoscaling.horizontalpodautoscalers"), ["autoscaling/v1", "autoscaling/v2"]);
  assert.deepEqual(await servedIn("resource.k8s.io.resourceclaims"), ["resource.k8s.io/v1"], "the others are not served by default");
  assert.deepEqual(await servedIn("core.events"), ["v1"], "those of the group");
  const types = {
    versions: () => [],
    resources: () => [],
    schemaOf: () => undefined,
    stored: () => [{ group: "", plural: "pods", encodingVersion: "v2", decodableVersions: ["v1", "v2"], servedVersions: ["v1"] }],
  };
  await writeVersions(fakeContext({ api, types, machine: { name: "another machine", addresses: () => [] } }), now);
  const { status } = (await list()).find(({ metadata }) => metadata.name === "core.pods");
  assert.deepEqual([status.storageVersions.length, status.commonEncodingVersion, status.conditions[0].status], [2, undefined, "False"]);
});
