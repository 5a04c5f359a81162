// Validation of a pod as a whole: pod-level resources, and rules between its parts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookContext } from "../../core/hook-context.ts";
import { podTemplates } from "./pod-template.ts";
import { at, errors, errorsOf, make, one, texts } from "./test-template.ts";

const container = (name: string, requests: object, rest: object = {}) => ({ name, image: "a", resources: { requests }, ...rest });
const sidecar = (name: string, requests: object) => container(name, requests, { restartPolicy: "Always" });

test("pod-level resources are cpu, memory and huge pages, without claims", () => {
  const whole = (resources: object) => errors({ resources });
  assert.deepEqual(whole({ requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1" } }), []);
  assert.deepEqual(whole({ requests: { "ephemeral-storage": "1" } }), [
    'resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
  ]);
  assert.deepEqual(whole({ limits: { storage: "1", odd: "1" } }), [
    'resources.limits[storage]: Unsupported value: "storage": supported values: "cpu", "hugepages-", "memory"',
    'resources.limits[odd]: Invalid value: "odd": must be a standard resource type or fully qualified',
  ]);
  assert.deepEqual(errors({ resources: { claims: [{ name: "g" }] }, resourceClaims: [{ name: "g", resourceClaimName: "g" }] }), [
    "resources.claims: Forbidden: claims may not be set for Resources at pod-level",
  ]);
});

test("pod-level requests are at least the aggregate container requests, during and after initialization", () => {
  const asked = (cpu: string, spec: object) => errors({ ...spec, resources: { requests: { cpu } } });
  const two = { containers: [container("a", { cpu: "500m" }), container("b", { cpu: "1", memory: "1Gi" })] };
  assert.deepEqual(asked("1500m", two), []);
  assert.deepEqual(asked("1499m", two), [
    'resources.requests[cpu]: Invalid value: "1499m": must be greater than or equal to aggregate container requests of 1500m',
  ]);
  // The sidecar b runs together with c and with d.
  const steps = {
    initContainers: [container("a", { cpu: "2" }), sidecar("b", { cpu: "1" }), container("c", { cpu: "3" })],
    containers: [container("d", { cpu: "1" })],
  };
  assert.deepEqual(asked("4", steps), []);
  assert.equal(asked("3999m", steps)?.length, 1);
  const first = { initContainers: [container("a", { cpu: "5" }), sidecar("b", { cpu: "1" })], containers: [container("d", { cpu: "1" })] };
  assert.deepEqual(asked("5", first), []);
  assert.equal(asked("4", first)?.length, 1);
  const after = { initContainers: [sidecar("b", { cpu: "2" })], containers: [container("d", { cpu: "2" })] };
  assert.deepEqual(asked("4", after), []);
  assert.equal(asked("3", after)?.length, 1);
});

test("pod-level limits are at least those of each container, and for huge pages the aggregate", () => {
  const used = (limits: object, ...own: readonly object[]) =>
    errors({ resources: { limits }, containers: own.map((each, i) => ({ name: `c${i}`, image: "a", resources: { limits: each } })) });
  assert.deepEqual(used({ cpu: "1" }, { cpu: "1" }, { cpu: "1" }), []);
  assert.deepEqual(used({ cpu: "1" }, { memory: "1Gi" }, { cpu: "2" }), [
    'resources.containers[1][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
  ]);
  const pages = (amount: string) => ({ "hugepages-2Mi": amount, cpu: "1" });
  assert.deepEqual(used(pages("4Mi"), pages("2Mi"), pages("2Mi")), []);
  assert.deepEqual(used(pages("2Mi"), pages("2Mi"), pages("2Mi")), [
    'resources.limits[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container limits of 4Mi',
  ]);
});

test("pod-level resources are not validated without PodLevelResources", () => {
  const off: HookContext = { ...at, gates: (gate) => gate !== "PodLevelResources" };
  assert.deepEqual(texts(podTemplates.create?.(make({ resources: { requests: { odd: "1" } } }), off)), []);
});

test("fileKeyRef of a variable refers to an emptyDir volume of the pod", () => {
  const from = (volumeName: string) =>
    errors({
      volumes: [{ name: "own" }, { name: "map", configMap: { name: "m" } }],
      ...one({ env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName, path: "a", key: "K" } } }] }),
    });
  const path = "containers[0].env[0].valueFrom.fileKeyRef.volumeName";
  assert.deepEqual(from("own"), []);
  assert.deepEqual(from("map"), [`${path}: Invalid value: "map": referenced volume must be of type emptyDir`]);
  assert.deepEqual(from("none"), [`${path}: Not found: "none"`]);
  assert.equal(from("Bad_")?.length, 2);
});

test("hostnameOverride is a subdomain of at most 64 bytes, without setHostnameAsFQDN and hostNetwork", () => {
  const path = "hostnameOverride";
  assert.deepEqual(errors({ hostnameOverride: `${"a".repeat(62)}.b` }), []);
  assert.deepEqual(errors({ hostnameOverride: `${"a".repeat(63)}.b` }), [`${path}: Too long: may not be more than 64 bytes`]);
  assert.deepEqual(errors({ hostnameOverride: "a", setHostnameAsFQDN: true, hostNetwork: true }), [
    `${path}: Forbidden: may not be specified when setHostnameAsFQDN is true`,
    `${path}: Forbidden: may not be specified when hostNetwork is true`,
  ]);
  assert.equal(errors({ hostnameOverride: "A" })?.length, 1);
});

test("seLinuxChangePolicy MountOption requires SELinuxMount, or a stored policy", () => {
  const off: HookContext = { ...at, gates: (gate) => gate !== "SELinuxMount" };
  const policy = (seLinuxChangePolicy: string) => ({ securityContext: { seLinuxChangePolicy } });
  const path = "securityContext.seLinuxChangePolicy";
  assert.deepEqual(errors(policy("MountOption")), []);
  assert.deepEqual(errors(policy("Odd")), [`${path}: Unsupported value: "Odd": supported values: "MountOption", "Recursive"`]);
  const refused = [`${path}: Unsupported value: "MountOption": supported values: "Recursive"`];
  assert.deepEqual(texts(podTemplates.create?.(make(policy("MountOption")), off)), refused);
  assert.deepEqual(texts(podTemplates.update?.(make(policy("MountOption")), make({}), off)), refused);
  assert.deepEqual(texts(podTemplates.update?.(make(policy("MountOption")), make(policy("Recursive")), off)), []);
  assert.deepEqual(errorsOf(policy("MountOption"), {}), []);
});
