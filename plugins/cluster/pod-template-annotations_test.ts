// Annotations of a template that mean something: what upstream says of them, and of the fields that say the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { podTemplates } from "./pod-template.ts";
import { at, make, one, texts } from "./test-template.ts";

const wrong = (annotations: object, spec: object = {}) => texts(podTemplates.create?.(make(spec, { annotations }), at));
const local = (type: string, localhostProfile?: string) => ({ type, ...(localhostProfile === undefined ? {} : { localhostProfile }) });

test("a template of a mirror pod names its node", () => {
  const mirror = { "kubernetes.io/config.mirror": "x" };
  assert.deepEqual(wrong(mirror), [
    'template.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
  ]);
  assert.deepEqual(wrong(mirror, { nodeName: "a" }), []);
});

test("tolerations in an annotation are JSON, and held to the rules of tolerations", () => {
  const key = "scheduler.alpha.kubernetes.io/tolerations";
  const said = (text: string) => wrong({ [key]: text });
  for (const fine of ["", "null", "[]", '[{"Key":"a","operator":"Exists"}]', '[null,{"key":"a","other":1,"effect":null}]']) {
    assert.deepEqual(said(fine)?.filter((each) => !each.includes("[0].operator")), [], fine);
  }
  const unread = (why: string) => [`template.annotations: Invalid value: "${key}": ${why}`];
  assert.deepEqual(said("{}"), unread("json: cannot unmarshal object into Go value of type []core.Toleration"));
  assert.deepEqual(said("[1]"), unread("json: cannot unmarshal number into Go value of type core.Toleration"));
  assert.deepEqual(said('[{"key":1}]'), unread("json: cannot unmarshal number into Go struct field Toleration.Key of type string"));
  assert.deepEqual(
    said('[{"tolerationSeconds":1.5}]'),
    unread("json: cannot unmarshal number 1.5 into Go struct field Toleration.TolerationSeconds of type int64"),
  );
  assert.deepEqual(said("[")?.length, 1);
  assert.deepEqual(said('[{"key":"a","operator":"Sometimes","effect":"NoSchedule","tolerationSeconds":9223372036854775807}]'), [
    `template.annotations.${key}[0].effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    `template.annotations.${key}[0].operator: Unsupported value: "Sometimes": supported values: "Equal", "Exists"`,
  ]);
});

test("profiles of seccomp in annotations are known ones or lie below the node's directory", () => {
  const ofPod = "seccomp.security.alpha.kubernetes.io/pod", ofContainer = "container.seccomp.security.alpha.kubernetes.io/c";
  for (const fine of ["runtime/default", "docker/default", "unconfined", "localhost/a/b"]) {
    assert.deepEqual(wrong({ [ofPod]: fine, [ofContainer]: fine }), [], fine);
  }
  assert.deepEqual(wrong({ [ofPod]: "none", [ofContainer]: "localhost/../a" }), [
    `template.annotations.${ofPod}: Invalid value: "none": must be a valid seccomp profile`,
    `template.annotations.${ofContainer}: Invalid value: "../a": must not contain '..'`,
  ]);
});

test("profiles of AppArmor in annotations are of a container that there is", () => {
  const key = (name: string) => `container.apparmor.security.beta.kubernetes.io/${name}`;
  for (const fine of ["", "runtime/default", "unconfined", "localhost/a"]) assert.deepEqual(wrong({ [key("c")]: fine }), [], fine);
  assert.deepEqual(wrong({ [key("i")]: "unconfined" }, { initContainers: [{ name: "i", image: "a", resources: {} }] }), []);
  assert.deepEqual(wrong({ [key("x")]: "a" }), [
    `template.annotations[${key("x")}]: Invalid value: "x": container not found`,
    `template.annotations[${key("x")}]: Invalid value: "a": invalid AppArmor profile name: "a"`,
  ]);
});

test("an annotation and a field of seccomp say the same", () => {
  const pod = { "seccomp.security.alpha.kubernetes.io/pod": "localhost/a" };
  const whole = (profile: object) => wrong(pod, { securityContext: { seccompProfile: profile } });
  assert.deepEqual(whole(local("Localhost", "a")), []);
  assert.deepEqual(whole(local("Localhost", "b")), [
    "securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match",
  ]);
  for (const type of ["RuntimeDefault", "Unconfined"]) {
    assert.deepEqual(whole(local(type)), [
      "securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
    ]);
  }
  const container = (annotation: string, profile: object) =>
    wrong({ "container.seccomp.security.alpha.kubernetes.io/c": annotation }, one({ securityContext: { seccompProfile: profile } }));
  assert.deepEqual(container("docker/default", local("RuntimeDefault")), []);
  assert.deepEqual(container("unconfined", local("Unconfined")), []);
  assert.deepEqual(container("unconfined", local("Localhost", "a")), [
    "containers[0].securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
  ]);
});

test("an annotation and a field of AppArmor say the same, the field of the pod counting where its container has none", () => {
  const key = "container.apparmor.security.beta.kubernetes.io/c";
  const said = (annotation: string, spec: object) => wrong({ [key]: annotation }, spec);
  const whole = (profile: object) => ({ securityContext: { appArmorProfile: profile } });
  const type = ["containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match"];
  assert.deepEqual(said("unconfined", whole(local("Unconfined"))), []);
  assert.deepEqual(said("runtime/default", whole(local("Unconfined"))), type);
  assert.deepEqual(said("localhost/a", one(whole(local("RuntimeDefault")))), type);
  assert.deepEqual(said("unconfined", one(whole(local("Localhost", "a")))), type);
  assert.deepEqual(said("localhost/a", one(whole(local("Localhost", "a")))), []);
  assert.deepEqual(said("localhost/b", one(whole(local("Localhost", "a")))), [
    "containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match",
  ]);
  assert.deepEqual(said("runtime/default", { os: { name: "windows" }, securityContext: {} }), []);
});

test("a profile of AppArmor is not padded, and no longer than a path", () => {
  const path = "securityContext.appArmorProfile.localhostProfile";
  const said = (name: string) => texts(podTemplates.create?.(make({ securityContext: { appArmorProfile: local("Localhost", name) } }), at));
  assert.deepEqual(said(""), [`${path}: Required value: must be set when AppArmor type is Localhost`]);
  assert.deepEqual(said("  "), [`${path}: Invalid value: "  ": must not be padded with whitespace`]);
  assert.deepEqual(said("x".repeat(4095)), []);
  assert.deepEqual(said("x".repeat(4096)), [`${path}: Too long: may not be more than 4095 bytes`]);
});
