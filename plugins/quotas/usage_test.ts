import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import type { ApiObject } from "../../plugin.ts";
import { scopesOf, usageOf } from "./usage.ts";

const settings = { names: defaultNames, gates: () => true, seconds: () => 0 };
const claims = usageOf("", "persistentvolumeclaims", settings)!;
const claim = (spec: object, status: object = {}, annotations?: object) =>
  ({ metadata: { name: "a", ...annotations === undefined ? {} : { annotations } }, spec, status }) as unknown as ApiObject;
const storage = (amount: string) => ({ resources: { requests: { storage: amount } } });

test("usageOf() counts objects by resource and group, and some by their plural", () => {
  const names = ["configmaps", "count/configmaps", "secrets", "count/leases.coordination.k8s.io", "leases"];
  assert.deepEqual(usageOf("", "configmaps", settings)?.matching(names), ["configmaps", "count/configmaps"]);
  assert.deepEqual(usageOf("coordination.k8s.io", "leases", settings)?.matching(names), ["count/leases.coordination.k8s.io"]);
  assert.deepEqual(usageOf("", "limitranges", settings)?.matching(["limitranges", "count/limitranges"]), ["count/limitranges"]);
  assert.deepEqual(usageOf("example.com", "secrets", settings)?.matching(names), []);
});

test("usageOf() ignores events and reviews", () => {
  assert.equal(usageOf("", "events", settings), undefined);
  assert.equal(usageOf("events.k8s.io", "events", settings), undefined);
  assert.equal(usageOf("authorization.k8s.io", "localsubjectaccessreviews", settings), undefined);
});

test("usageOf() charges only creates, and for claims also updates of the object and of its status", () => {
  const maps = usageOf("", "configmaps", settings)!;
  assert.deepEqual([maps.charges(true, ""), maps.charges(false, ""), maps.charges(true, "token")], [true, false, false]);
  assert.deepEqual([claims.charges(true, ""), claims.charges(false, ""), claims.charges(false, "status")], [true, true, true]);
});

test("the usage of a claim is the larger of allocated and requested storage, in whole bytes", () => {
  const bytes = (spec: object, status?: object) => claims.of(claim(spec, status))["requests.storage"];
  assert.equal(bytes(storage("1Gi")), "1Gi");
  assert.equal(bytes(storage("1Gi"), { allocatedResources: { storage: "2Gi" } }), "2Gi");
  assert.equal(bytes(storage("3Gi"), { allocatedResources: { storage: "2Gi" } }), "3Gi");
  assert.equal(bytes(storage("1500m")), "2");
  assert.equal(bytes({ resources: {} }, { allocatedResources: { storage: "2Gi" } }), undefined);
});

test("the usage of a claim is also that of its class, which the deprecated annotation may name", () => {
  assert.deepEqual(claims.of(claim({ ...storage("1Gi"), storageClassName: "gold" })), {
    "persistentvolumeclaims": "1",
    "count/persistentvolumeclaims": "1",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    "requests.storage": "1Gi",
    "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
  });
  const annotated = claim({ ...storage("1Gi"), storageClassName: "gold" }, {}, { "volume.beta.kubernetes.io/storage-class": "tin" });
  assert.deepEqual(claims.matching(Object.keys(claims.of(annotated))).filter((name) => name.includes(".storageclass.")), [
    "tin.storageclass.storage.k8s.io/persistentvolumeclaims",
    "tin.storageclass.storage.k8s.io/requests.storage",
  ]);
});

test("a claim is in the scope of the attributes classes that it has, requests or is changed to", () => {
  const within = (operator: "In" | "NotIn" | "Exists" | "DoesNotExist", values: readonly string[], ...of: Parameters<typeof claim>) =>
    claims.isIn({ scopeName: "VolumeAttributesClass", operator, values }, claim(...of));
  const silver = { ...storage("1"), volumeAttributesClassName: "silver" },
    changing = { modifyVolumeStatus: { targetVolumeAttributesClassName: "gold" } };
  assert.equal(within("In", ["gold"], silver), false);
  assert.equal(within("In", ["gold"], silver, changing), true);
  assert.equal(within("NotIn", ["gold"], silver, changing), true);
  assert.equal(within("NotIn", ["gold"], storage("1")), true);
  assert.equal(within("Exists", [], storage("1"), { currentVolumeAttributesClassName: "tin" }), true);
  assert.equal(within("DoesNotExist", [], storage("1")), true);
  assert.equal(claims.isIn({ scopeName: "BestEffort", operator: "Exists" }, claim(silver)), false);
  const off = usageOf("", "persistentvolumeclaims", { ...settings, gates: () => false })!;
  assert.equal(off.isIn({ scopeName: "VolumeAttributesClass", operator: "Exists" }, claim(silver)), false);
});

test("scopesOf() lists the scopes of both notations", () => {
  const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: ["a"] }] as const;
  assert.deepEqual(scopesOf({ scopes: ["BestEffort"], scopeSelector: { matchExpressions } }), [
    { scopeName: "BestEffort", operator: "Exists" },
    ...matchExpressions,
  ]);
});

test("services count by their ports on nodes and their load balancers", () => {
  const services = usageOf("", "services", settings)!;
  const of = (spec: object) => {
    const { "services.nodeports": ports, "services.loadbalancers": balancers, services: number } = services.of({
      metadata: { name: "a" },
      spec: { ports: [{ nodePort: 30000 }, {}], ...spec },
    } as unknown as ApiObject);
    return [number, ports, balancers];
  };
  assert.deepEqual(of({ type: "ClusterIP" }), ["1", "0", "0"]);
  assert.deepEqual(of({ type: "NodePort" }), ["1", "2", "0"]);
  assert.deepEqual(of({ type: "LoadBalancer" }), ["1", "2", "1"]);
  assert.deepEqual(of({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false }), ["1", "1", "1"]);
  assert.deepEqual(services.matching(["services", "count/services", "services.nodeports", "pods"]), [
    "services",
    "count/services",
    "services.nodeports",
  ]);
  assert.deepEqual([services.charges(true, ""), services.charges(false, ""), services.charges(false, "status")], [true, true, false]);
});
