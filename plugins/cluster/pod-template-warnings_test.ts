import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../core/limits.ts";
import { podTemplates } from "./pod-template.ts";
import { at, make, one } from "./test-template.ts";

/** The warnings of a template, below `template.` where they stand there. */
const warnings = (spec: object, meta: object = {}) =>
  podTemplates.warn?.(make(spec, meta), undefined, at).map((text) => text.replaceAll("template.", ""));

test("a variable that is set again without what it was before is warned of", () => {
  const env = (...env: object[]) => warnings(one({ env }));
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "B" }, { name: "A", value: "$(A):2" }), []);
  const hidden = ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'];
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "A", value: "2" }), hidden);
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "A", value: "$(A)" }), hidden);
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }), hidden);
});

test("ports that may be taken for each other are warned of by how they meet", () => {
  const ports = (...ports: object[]) => warnings(one({ ports: ports.map((port) => ({ protocol: "TCP", ...port })) }));
  const path = "spec.containers[0].ports";
  assert.deepEqual(ports({ containerPort: 1 }, { containerPort: 1, protocol: "UDP" }, { containerPort: 2 }), []);
  assert.deepEqual(ports({ containerPort: 1 }, { containerPort: 1 }), [`${path}[1]: duplicate port definition with ${path}[0]`]);
  assert.deepEqual(ports({ containerPort: 1, hostPort: 5 }, { containerPort: 1 }), [
    `${path}[1]: overlapping port definition with ${path}[0]`,
  ]);
  assert.deepEqual(ports({ containerPort: 1, hostPort: 5 }, { containerPort: 1, hostPort: 5, hostIP: "1.2.3.4" }), [
    `${path}[1]: dangerously ambiguous port definition with ${path}[0]`,
  ]);
  assert.deepEqual(ports({ name: "a", containerPort: 1, hostIP: "1.2.3.4" }), [
    `${path}[0]: hostIP set without hostPort: {Name:a HostPort:0 ContainerPort:1 Protocol:TCP HostIP:1.2.3.4}`,
  ]);
  assert.deepEqual(ports({ name: "a", containerPort: 1 }, { name: "a", containerPort: 2 }), [
    `${path}[1]: duplicate port name "a" with ${path}[0], services and probes that select ports by name will use ${path}[0]`,
  ]);
});

test("secrets of images and host aliases that are named twice, and secrets without a name, are warned of", () => {
  assert.deepEqual(warnings({ imagePullSecrets: [{ name: "a" }, { name: "a" }, { name: "" }] }), [
    'spec.imagePullSecrets[1].name: duplicate name "a"',
    'spec.imagePullSecrets[2].name: invalid empty name ""',
  ]);
  assert.deepEqual(warnings({ hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }] }), ['spec.hostAliases[1].ip: duplicate ip "1.2.3.4"']);
});

test("addresses are warned of where others would read them otherwise or write them otherwise", () => {
  const address = (ip: string) => warnings({ hostAliases: [{ ip }] });
  for (const right of ["10.0.0.1", "::1", "fe80::1:2"]) assert.deepEqual(address(right), [], right);
  assert.deepEqual(address("010.0.0.1"), ['spec.hostAliases[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']);
  assert.deepEqual(address("::ffff:1.2.3.4"), [
    'spec.hostAliases[0].ip: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"',
  ]);
  assert.deepEqual(address("FE80:0::1"), [
    'spec.hostAliases[0].ip: IPv6 address "FE80:0::1" should be in RFC 5952 canonical format ("fe80::1")',
  ]);
});

test("annotations that fields have taken the place of are warned of, unless the field is there", () => {
  const annotations = {
    "container.apparmor.security.beta.kubernetes.io/c": "runtime/default",
    "seccomp.security.alpha.kubernetes.io/pod": "x",
  };
  assert.deepEqual(warnings({}, { annotations }), [
    'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
  ]);
  const securityContext = { seccompProfile: { type: "RuntimeDefault" }, appArmorProfile: { type: "RuntimeDefault" } };
  assert.deepEqual(warnings({ securityContext }, { annotations }), []);
});

test("selectors that match nothing, fractions of bytes and empty projections are warned of", () => {
  assert.deepEqual(warnings({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }] }), [
    "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
  ]);
  assert.deepEqual(warnings({ overhead: { memory: "1500m" } }), [
    'spec.overhead[memory]: fractional byte value "1500m" is invalid, must be an integer',
  ]);
  assert.deepEqual(warnings({ volumes: [{ name: "v", projected: { sources: [{}] } }] }), [
    'volume "v" (Projected) has no sources provided',
  ]);
});

test("files of one volume are compared up to a bound", () => {
  const files = (count: number) => warnings({ volumes: [{ name: "v", secret: { secretName: "s", items: items(count) } }] })?.length;
  const items = (
    count: number,
  ) => [...Array.from({ length: count - 1 }, (_, i) => ({ key: "k", path: `p${i}` })), { key: "k", path: "p0" }];
  assert.equal(files(limits.comparedForWarningsMax), 1);
  assert.equal(files(limits.comparedForWarningsMax + 1), 0);
});
