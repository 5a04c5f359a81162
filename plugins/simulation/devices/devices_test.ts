// Devices in a server: claims from templates, their allocation, and their end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";
import type { Pod } from "../world/world.ts";
import type { ResourceClaim } from "./pod-claims.ts";

const v1 = "resource.k8s.io/v1", driver = "gpu.example.com";
type Simulation = Awaited<ReturnType<typeof openSimulation>>;
const isBound = ({ spec }: Pod) => (spec.nodeName ?? "") !== "";
const messageOf = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodScheduled")?.message ?? "";

const using = (...references: readonly object[]) => ({ resourceClaims: references });
const template = (name: string, request: object, more: object = {}) => ({
  metadata: { name },
  spec: { spec: { devices: { requests: [{ name: "gpu", ...request }], ...more } } },
});

/** Two nodes with two devices each, and one class for all of them. */
async function withDevices() {
  const world = await openSimulation({ "simulate-nodes": 2 });
  await world.api.create(v1, "deviceclasses", "", {
    metadata: { name: "gpu" },
    spec: {
      selectors: [{ cel: { expression: `device.driver == "${driver}"` } }],
      config: [{ opaque: { driver, parameters: { kind: "A" } } }],
    },
  });
  for (const node of ["simulated-0", "simulated-1"]) {
    await world.api.create(v1, "resourceslices", "", {
      metadata: { name: node },
      spec: {
        driver,
        pool: { name: node, generation: 1, resourceSliceCount: 1 },
        nodeName: node,
        devices: [0, 1].map((index) => ({
          name: `gpu-${index}`,
          attributes: { index: { int: index }, node: { string: node } },
          capacity: { memory: { value: index === 0 ? "8Gi" : "16Gi" } },
        })),
      },
    });
  }
  return world;
}

const claimsIn = async ({ api }: Simulation) => (await api.list(v1, "resourceclaims", "default")).items as ResourceClaim[];

test("a pod gets a claim of its own from a template, a device of its node, and gives both back", async () => {
  await using world = await withDevices();
  await world.api.create(v1, "resourceclaimtemplates", "default", {
    ...template("one", { exactly: { deviceClassName: "gpu" } }),
  });
  await world.createPod("p", {}, { ...using({ name: "mine", resourceClaimTemplateName: "one" }), restartPolicy: "Never" });
  const { spec, status } = await world.podWhen("p", isBound), [claim] = await claimsIn(world);
  const name = claim!.metadata.name ?? "";
  assert.match(name, /^p-mine-.{5}$/);
  assert.deepEqual(status.resourceClaimStatuses, [{ name: "mine", resourceClaimName: name }]);
  assert.equal(claim!.metadata.annotations?.["resource.kubernetes.io/pod-claim-name"], "mine");
  assert.deepEqual(claim!.metadata.finalizers, ["resource.kubernetes.io/delete-protection"]);
  assert.deepEqual(claim!.status.reservedFor?.map(({ resource, name }) => `${resource}/${name}`), ["pods/p"]);
  const { devices, nodeSelector } = claim!.status.allocation!;
  assert.deepEqual(devices.results, [{ request: "gpu", driver, pool: spec.nodeName, device: "gpu-0" }]);
  assert.deepEqual(devices.config, [{ source: "FromClass", requests: ["gpu"], opaque: { driver, parameters: { kind: "A" } } }]);
  assert.deepEqual(nodeSelector?.nodeSelectorTerms[0]?.matchFields, [{ key: "metadata.name", operator: "In", values: [spec.nodeName] }]);
  await world.api.delete("v1", "pods", "default", "p");
  await eventually(async () => assert.deepEqual(await claimsIn(world), []));
});

test("a claim that pods share is allocated once, and is free when the last of them is gone", async () => {
  await using world = await withDevices();
  const requests = [{ name: "gpu", exactly: { deviceClassName: "gpu", allocationMode: "All" } }];
  await world.api.create(v1, "resourceclaims", "default", { metadata: { name: "all" }, spec: { devices: { requests } } });
  for (const name of ["a", "b"]) await world.createPod(name, {}, using({ name: "d", resourceClaimName: "all" }));
  const [a, b] = [await world.podWhen("a", isBound), await world.podWhen("b", isBound)];
  assert.equal(a.spec.nodeName, b.spec.nodeName);
  const [claim] = await claimsIn(world);
  assert.equal(claim!.status.allocation?.devices.results?.length, 2);
  assert.equal(claim!.status.reservedFor?.length, 2);
  for (const name of ["a", "b"]) await world.api.delete("v1", "pods", "default", name);
  await eventually(async () => assert.deepEqual((await claimsIn(world))[0]!.status, {}));
});

test("pods wait for devices, and get those that others leave", async () => {
  await using world = await withDevices();
  await world.api.create(v1, "resourceclaimtemplates", "default", template("two", { exactly: { deviceClassName: "gpu", count: 2 } }));
  const mine = using({ name: "d", resourceClaimTemplateName: "two" });
  for (const name of ["a", "b"]) await world.createPod(name, {}, mine);
  const nodes = [(await world.podWhen("a", isBound)).spec.nodeName, (await world.podWhen("b", isBound)).spec.nodeName];
  assert.deepEqual(nodes.sort(), ["simulated-0", "simulated-1"]);
  await world.createPod("c", {}, mine);
  await world.podWhen(
    "c",
    (pod) => messageOf(pod).startsWith("0/2 nodes are available: 2 cannot allocate all claims. still not schedulable"),
  );
  await world.api.delete("v1", "pods", "default", "a");
  await world.podWhen("c", isBound);
});

test("alternatives, constraints and selectors decide which devices are allocated", async () => {
  await using world = await withDevices();
  const large = { cel: { expression: `device.capacity["${driver}"].memory.isGreaterThan(quantity("9Gi"))` } };
  const absent = { cel: { expression: `has(device.attributes["${driver}"].absent)` } };
  await world.api.create(
    v1,
    "resourceclaimtemplates",
    "default",
    template("best", {
      firstAvailable: [
        { name: "none", deviceClassName: "gpu", selectors: [absent] },
        { name: "large", deviceClassName: "gpu", selectors: [large] },
      ],
    }),
  );
  await world.createPod("best", {}, using({ name: "d", resourceClaimTemplateName: "best" }));
  await world.podWhen("best", isBound);
  const [first] = await claimsIn(world);
  assert.deepEqual(first!.status.allocation?.devices.results?.map(({ request, device }) => [request, device]), [["gpu/large", "gpu-1"]]);
  // No two devices of a node have the same index.
  const constraints = [{ matchAttribute: `${driver}/index` }];
  const same = template("same", { exactly: { deviceClassName: "gpu", count: 2 } }, { constraints });
  await world.api.create(v1, "resourceclaimtemplates", "default", same);
  await world.createPod("same", {}, using({ name: "d", resourceClaimTemplateName: "same" }));
  await world.podWhen("same", (pod) => messageOf(pod).includes("cannot allocate all claims"));
});

test("a selector that fails on one node keeps the pod from all nodes", async () => {
  await using world = await withDevices();
  const failing = { cel: { expression: `device.attributes["${driver}"].node == "simulated-0" || device.attributes["${driver}"].absent` } };
  await world.api.create(
    v1,
    "resourceclaimtemplates",
    "default",
    template("bad", {
      exactly: { deviceClassName: "gpu", selectors: [failing] },
    }),
  );
  await world.createPod("p", {}, using({ name: "d", resourceClaimTemplateName: "bad" }));
  const { status } = await world.podWhen("p", (pod) => messageOf(pod).includes("CEL runtime error: no such key: absent"));
  assert.equal(status.conditions?.find(({ type }) => type === "PodScheduled")?.reason, "SchedulerError");
});

test("a device that is in use can be accessed for administration", async () => {
  await using world = await withDevices();
  const request = (more: object) => ({ exactly: { deviceClassName: "gpu", allocationMode: "All", ...more } });
  const namespace = { metadata: { labels: { "resource.kubernetes.io/admin-access": "true" } } };
  await world.api.patch("v1", "namespaces", "", "default", { merge: namespace });
  for (const [name, more] of [["user", {}], ["admin", { adminAccess: true }]] as const) {
    await world.api.create(v1, "resourceclaimtemplates", "default", template(name, request(more)));
    await world.createPod(name, {}, {
      ...using({ name: "d", resourceClaimTemplateName: name }),
      nodeSelector: { "kubernetes.io/hostname": "simulated-0" },
    });
    await world.podWhen(name, isBound);
  }
});

test("a pod waits for the class of its devices", async () => {
  await using world = await withDevices();
  await world.api.create(v1, "resourceclaimtemplates", "default", template("later", { exactly: { deviceClassName: "later" } }));
  await world.createPod("p", {}, using({ name: "d", resourceClaimTemplateName: "later" }));
  await world.podWhen("p", (pod) => messageOf(pod).includes("request gpu: device class later does not exist"));
  await world.api.create(v1, "deviceclasses", "", { metadata: { name: "later" }, spec: {} });
  await world.podWhen("p", isBound);
});
