import assert from "node:assert/strict";
import { test } from "node:test";
import { podTemplates } from "./pod-template.ts";
import { at, make, one } from "./test-template.ts";
import { comparedForWarningsMax } from "../shared/pod/container-warnings.ts";

/** The warnings of a template. The prefix `template.` is removed. */
const warnings = (spec: object, meta: object = {}) =>
  podTemplates.warn?.(make(spec, meta), undefined, at).map((text) => text.replaceAll("template.", ""));

test("a repeated environment variable that does not use its previous value gives a warning", () => {
  const env = (...env: object[]) => warnings(one({ env }));
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "B" }, { name: "A", value: "$(A):2" }), []);
  const hidden = ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'];
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "A", value: "2" }), hidden);
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "A", value: "$(A)" }), hidden);
  assert.deepEqual(env({ name: "A", value: "1" }, { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }), hidden);
});

test("duplicate, overlapping and ambiguous ports give warnings", () => {
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

test("duplicate image pull secrets and host aliases, and secrets without a name, give warnings", () => {
  assert.deepEqual(warnings({ imagePullSecrets: [{ name: "a" }, { name: "a" }, { name: "" }] }), [
    'spec.imagePullSecrets[1].name: duplicate name "a"',
    'spec.imagePullSecrets[2].name: invalid empty name ""',
  ]);
  assert.deepEqual(warnings({ hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }] }), ['spec.hostAliases[1].ip: duplicate ip "1.2.3.4"']);
});

test("ambiguous and non-canonical IP addresses give warnings", () => {
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

test("deprecated annotations give warnings, unless the field that replaces them is set", () => {
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

test("null selectors, fractional bytes and empty projections give warnings", () => {
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

test("the paths of a volume are compared up to comparedForWarningsMax", () => {
  const files = (count: number) => warnings({ volumes: [{ name: "v", secret: { secretName: "s", items: items(count) } }] })?.length;
  const items = (
    count: number,
  ) => [...Array.from({ length: count - 1 }, (_, i) => ({ key: "k", path: `p${i}` })), { key: "k", path: "p0" }];
  assert.equal(files(comparedForWarningsMax), 1);
  assert.equal(files(comparedForWarningsMax + 1), 0);
});
