import assert from "node:assert/strict";
import { test } from "node:test";
import { dropDisabled } from "../../core/derive/gates.ts";
import { defaulter } from "../../core/derive/apply-defaults.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { podTemplates } from "./pod-template.ts";
import { pullPolicyOf } from "../shared/volumes/mod.ts";
import { at, errors, make, one, schema, texts } from "./test-template.ts";

test("pullPolicyOf() returns Always for the tag latest, and IfNotPresent for other tags and invalid names", () => {
  for (const image of ["a", "a:latest", "host:5000/a/b", "localhost/a", "a/b"]) assert.equal(pullPolicyOf(image), "Always", image);
  // The path has at most 255 bytes, including the prefix "library/" that is added to a single component.
  assert.equal(pullPolicyOf("a".repeat(247)), "Always");
  assert.equal(pullPolicyOf("a".repeat(248)), "IfNotPresent");
  assert.equal(pullPolicyOf("b".repeat(64)), "IfNotPresent", "an image ID");
  const digest = `a@sha256:${"0".repeat(64)}`;
  for (const image of ["", "a:1", digest, "host:5000/a:1", "Upper", " a", "a:", "a//b", "a:b:latest"]) {
    assert.equal(pullPolicyOf(image), "IfNotPresent", image);
  }
});

test("serviceAccountName and serviceAccount default to each other; the newer field wins", () => {
  const accounts = ({ template: { spec } }: any) => [spec.serviceAccountName, spec.serviceAccount];
  assert.deepEqual(accounts(make({ serviceAccount: "old" })), ["old", "old"]);
  assert.deepEqual(accounts(make({ serviceAccountName: "new", serviceAccount: "old" })), ["new", "new"]);
  assert.deepEqual(accounts(make({})), [undefined, undefined]);
});

test("defaulting a defaulted template returns the same value", () => {
  const template = make({ volumes: [{ name: "v" }], overhead: { cpu: "1m" } });
  assert.equal(defaulter(schema)(template, at.gates), template);
});

test("port names have at most 15 characters, a letter, and no leading, trailing or double hyphens", () => {
  const port = (name: string) => errors(one({ ports: [{ name, containerPort: 1, protocol: "TCP" }] }));
  assert.deepEqual(port("a".repeat(15)), []);
  assert.deepEqual(port("a".repeat(16)), [
    'containers[0].ports[0].name: Invalid value: "aaaaaaaaaaaaaaaa": must be no more than 15 characters',
  ]);
  assert.equal(port("12")?.length, 1);
  assert.deepEqual(port("-a--b")?.map((text) => text.slice(text.lastIndexOf(": ") + 2)), [
    "must not contain consecutive hyphens",
    "must not begin or end with a hyphen",
  ]);
});

test("the lifetime of tokens and certificates in projected volumes is bounded", () => {
  const source = (source: object) => errors({ volumes: [{ name: "v", projected: { sources: [source] } }] });
  const token = (expirationSeconds: number) => source({ serviceAccountToken: { path: "t", expirationSeconds } });
  assert.deepEqual([token(600), token(2 ** 32)], [[], []]);
  assert.equal(token(599)?.length, 1);
  assert.equal(token(2 ** 32 + 1)?.length, 1);
  const certificate = (maxExpirationSeconds: number, signerName = "example.com/signer") =>
    source({ podCertificate: { signerName, keyType: "ED25519", keyPath: "k", maxExpirationSeconds } });
  assert.deepEqual([certificate(3600), certificate(7_862_400)], [[], []]);
  assert.equal(certificate(3599)?.length, 1);
  assert.equal(certificate(7_862_401)?.length, 1);
  assert.equal(certificate(86_401, "kubernetes.io/kube-apiserver-client-pod")?.length, 1);
});

test("the sources of a projected volume have distinct paths", () => {
  const items = [{ key: "k", path: "same" }];
  assert.deepEqual(
    errors({ volumes: [{ name: "v", projected: { sources: [{ secret: { name: "s", items } }, { configMap: { name: "m", items } }] } }] }),
    [
      'volumes[0].projected: Invalid value: "m": conflicting duplicate paths',
    ],
  );
});

test("a volume whose only source is dropped by its gate is invalid", () => {
  const template = make({ volumes: [{ name: "v", image: { reference: "a" } }] });
  const off = (gate: string) => gate !== "ImageVolume";
  const dropped = dropDisabled(schema)(template, undefined, off);
  assert.deepEqual(texts(podTemplates.create?.(dropped as any, at)), ["volumes[0]: Required value: must specify a volume type"]);
  assert.equal(dropDisabled(schema)(template, template, off), template);
});

test("paths and modes of volume mounts are validated", () => {
  const volumes = [{ name: "v" }];
  const mount = (rest: object, more: object = {}) =>
    errors({ volumes, ...one({ volumeMounts: [{ name: "v", mountPath: "/a", ...rest }], ...more }) });
  assert.deepEqual(mount({ subPath: "a/b" }), []);
  assert.equal(mount({ subPath: "../b" })?.length, 1);
  assert.equal(mount({ subPath: "a", subPathExpr: "$(B)" })?.length, 1);
  assert.equal(mount({ mountPropagation: "Bidirectional" })?.length, 1);
  assert.deepEqual(mount({ mountPropagation: "Bidirectional" }, { securityContext: { privileged: true } }), []);
  assert.deepEqual(mount({ recursiveReadOnly: "Enabled", readOnly: true }), []);
  assert.equal(mount({ recursiveReadOnly: "Enabled" })?.length, 1);
});

test("extended resources are integers with limits, and huge pages require cpu or memory", () => {
  const resources = (limits: object, requests: object = {}) => errors(one({ resources: { limits, requests } }));
  assert.deepEqual(resources({ "example.com/gpu": "1", cpu: "1" }, { "example.com/gpu": "1", cpu: "500m" }), []);
  assert.equal(resources({ "example.com/gpu": "1500m" })?.length, 1);
  assert.equal(resources({ "example.com/gpu": "2" }, { "example.com/gpu": "1" })?.length, 1);
  assert.deepEqual(resources({ "hugepages-2Mi": "2Mi" }), ["containers[0].resources: Forbidden: HugePages require cpu or memory"]);
  assert.deepEqual(resources({ "hugepages-2Mi": "2Mi", memory: "1Gi" }), []);
  assert.equal(resources(JSON.parse('{"__proto__": "1"}'))?.length, 2);
});

test("errors of template labels have the path template.labels, also on update", () => {
  const bad = make({}, { labels: { "a b": "c" } });
  assert.deepEqual(podTemplates.update?.(bad, make({}), at).map(({ path }) => path), ["template.labels"]);
});

test("deprecated node labels in a template give a warning", () => {
  const template = make({ nodeSelector: { "beta.kubernetes.io/arch": "arm64" } });
  assert.deepEqual(podTemplates.warn?.(template, undefined, at), [
    'template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
  ]);
});

test("stopSignal is a signal of the system in os.name", () => {
  const signal = (stopSignal: string, os?: string) =>
    errors({ ...(os === undefined ? {} : { os: { name: os } }), ...one({ lifecycle: { stopSignal } }) });
  assert.deepEqual([signal("SIGRTMIN+1", "linux"), signal("SIGKILL", "windows")], [[], []]);
  assert.deepEqual(signal("SIGTERM"), [
    "containers[0].lifecycle.stopSignal: Forbidden: may not be set for containers with empty `spec.os.name`",
  ]);
  assert.deepEqual(signal("SIGHUP", "windows"), [
    'containers[0].lifecycle.stopSignal: Unsupported value: "SIGHUP": supported values: "SIGKILL", "SIGTERM"',
  ]);
  assert.equal(signal("SIGNOT", "linux")?.length, 1);
});

test("dropping stopSignal also drops a lifecycle without other fields", () => {
  const off: HookContext = { ...at, gates: () => false };
  const lifecycles = (template: any) => template.template.spec.containers.map(({ lifecycle }: any) => lifecycle);
  const preStop = { sleep: { seconds: 1 } };
  const template = make({
    containers: [{ name: "a", lifecycle: { stopSignal: "SIGTERM" } }, { name: "b", lifecycle: { preStop, stopSignal: "SIGTERM" } }],
  });
  assert.deepEqual(lifecycles(podTemplates.prepare?.(template, undefined, off)), [undefined, { preStop }]);
  assert.equal(podTemplates.prepare?.(template, undefined, at), template);
  const stored = make({ initContainers: [{ name: "i", lifecycle: { stopSignal: "SIGHUP" } }] });
  assert.equal(podTemplates.prepare?.(template, stored, off), template);
});
