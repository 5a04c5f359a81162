// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { objectOf } from "./test-quota.ts";
import { usageOf } from "./usage.ts";

const usage = usageOf("resource.k8s.io", "resourceclaims", { names: defaultNames, gates: () => false, seconds: () => 0 })!;
const ask = (deviceClassName: string, count?: number) => ({
  deviceClassName,
  ...(count === undefined ? { allocationMode: "All" } : { allocationMode: "ExactCount", count }),
});

test("a claim uses the devices that it asks for, by class; of alternatives the one with most devices counts", () => {
  const requests = [
    { exactly: ask("a", 2) },
    { firstAvailable: [ask("a", 3), ask("b", 1), ask("a", 5)] },
    { firstAvailable: [ask("b")] },
    { exactly: { ...ask("c", 7), allocationMode: "Later" } },
    {},
  ];
  assert.deepEqual(usage.of(objectOf("x", { spec: { devices: { requests } } })), {
    "count/resourceclaims.resource.k8s.io": "1",
    "a.deviceclass.resource.k8s.io/devices": "7",
    "b.deviceclass.resource.k8s.io/devices": "33",
    "c.deviceclass.resource.k8s.io/devices": "0",
  });
  assert.deepEqual(usage.of(objectOf("x", { spec: {} })), { "count/resourceclaims.resource.k8s.io": "1" });
});

test("quotas of claims are those of their number and of device classes", () => {
  const names = ["count/resourceclaims.resource.k8s.io", "a.deviceclass.resource.k8s.io/devices", "pods", "requests.cpu"];
  assert.deepEqual(usage.matching(names), names.slice(0, 2));
  assert.deepEqual([usage.charges(true, ""), usage.charges(false, ""), usage.charges(false, "status")], [true, true, false]);
});

const on = usageOf("resource.k8s.io", "resourceclaims", { names: defaultNames, gates: () => true, seconds: () => 0 })!;
const claim = (name: string, classes: Readonly<Record<string, number>>, more: object = {}) =>
  objectOf(name, {
    metadata: { name, namespace: "shop", ...more },
    spec: { devices: { requests: Object.entries(classes).map(([each, count]) => ({ exactly: ask(each, count) })) } },
  });
const ofPod = (uid = "u", created = "2026-01-01T00:00:00Z") => ({
  annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
  creationTimestamp: created,
  ownerReferences: [{ kind: "Pod", apiVersion: "v1", name: "p", uid, controller: true }],
});
const pod = (status: object = {}) => ({
  metadata: { name: "p", namespace: "shop", uid: "u" },
  spec: { containers: [{ name: "c", resources: { requests: { "example.com/gpu": "2" } } }] },
  status,
});
const classes = [
  { metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } },
  { metadata: { name: "nic" }, spec: {} },
];
const implicit = "requests.deviceclass.resource.kubernetes.io/";
/** What a claim uses of extended resources, beside these claims and pods. */
async function extended(of: any, { claims = [], pods = [] }: { readonly claims?: readonly any[]; readonly pods?: readonly any[] } = {}) {
  const stored: Readonly<Record<string, readonly any[]>> = { deviceclasses: classes, resourceclaims: claims, pods };
  const usage = await on.prepare!((_version, resource) => Promise.resolve(stored[resource]!), "shop", of);
  return Object.fromEntries(Object.entries(usage.of(of)).filter(([name]) => name.startsWith("requests.")));
}

test("with the gate on a claim also uses the extended resources of its classes", async () => {
  assert.deepEqual(await extended(claim("a", { gpu: 2, nic: 1, none: 1 })), {
    [`${implicit}gpu`]: "2",
    "requests.example.com/gpu": "2",
    [`${implicit}nic`]: "1",
    [`${implicit}none`]: "1",
  });
  assert.equal(usage.prepare, undefined, "the gate is off");
});

test("quotas of extended resources limit claims if a device class provides the resource", async () => {
  const names = [
    `${implicit}gpu`,
    `${implicit}nic`,
    `${implicit}none`,
    "requests.example.com/gpu",
    "requests.example.com/x",
    "requests.cpu",
  ];
  const prepared = await on.prepare!((_version, resource) => Promise.resolve(resource === "deviceclasses" ? classes as any : []), "shop");
  assert.deepEqual(prepared.matching(names), names.filter((name) => /gpu|nic/.test(name)));
  assert.deepEqual(usage.matching(names), []);
  assert.deepEqual(on.matching(names), names.slice(0, 5), "before the classes are known, any of them may");
});

test("what the pod of a claim is charged already is not charged again, for one claim of the pod", async () => {
  const owned = claim("b", { gpu: 3 }, ofPod()), left = { [`${implicit}gpu`]: "3", "requests.example.com/gpu": "1" };
  const whole = { ...left, "requests.example.com/gpu": "3" };
  assert.deepEqual(await extended(owned, { pods: [pod()] }), left);
  assert.deepEqual(await extended(owned), whole, "the pod is gone");
  assert.deepEqual(await extended(claim("b", { gpu: 3 }, ofPod("other")), { pods: [pod()] }), whole, "another pod of the name");
  const named = (resourceClaimName: string) => [pod({ extendedResourceClaimStatus: { resourceClaimName } })];
  assert.deepEqual(await extended(owned, { pods: named("b") }), left);
  assert.deepEqual(await extended(owned, { pods: named("c") }), whole);
  const earlier = claim("z", { gpu: 1 }, ofPod("u", "2025-01-01T00:00:00Z")), same = claim("a", { gpu: 1 }, ofPod());
  const later = claim("a", { gpu: 1 }, ofPod("u", "2027-01-01T00:00:00Z"));
  assert.deepEqual(await extended(owned, { pods: [pod()], claims: [owned, later] }), left);
  assert.deepEqual(await extended(owned, { pods: [pod()], claims: [owned, earlier] }), whole);
  assert.deepEqual(await extended(owned, { pods: [pod()], claims: [owned, same] }), whole, "the first by name");
});
