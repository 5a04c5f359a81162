// Validation of the annotations of a pod template, alone and together with the fields that replace them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { podTemplates } from "./pod-template.ts";
import { at, make, one, texts } from "./test-template.ts";

const errorsFor = (annotations: object, spec: object = {}) => texts(podTemplates.create?.(make(spec, { annotations }), at));
const local = (type: string, localhostProfile?: string) => ({ type, ...(localhostProfile === undefined ? {} : { localhostProfile }) });

test("a template of a mirror pod requires nodeName", () => {
  const mirror = { "kubernetes.io/config.mirror": "x" };
  assert.deepEqual(errorsFor(mirror), [
    'template.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
  ]);
  assert.deepEqual(errorsFor(mirror, { nodeName: "a" }), []);
});

test("tolerations in an annotation are JSON and validated like the field", () => {
  const key = "scheduler.alpha.kubernetes.io/tolerations";
  const tolerations = (text: string) => errorsFor({ [key]: text });
  for (const valid of ["", "null", "[]", '[{"Key":"a","operator":"Exists"}]', '[null,{"key":"a","other":1,"effect":null}]']) {
    assert.deepEqual(tolerations(valid)?.filter((each) => !each.includes("[0].operator")), [], valid);
  }
  const unreadable = (why: string) => [`template.annotations: Invalid value: "${key}": ${why}`];
  assert.deepEqual(tolerations("{}"), unreadable("json: cannot unmarshal object into Go value of type []core.Toleration"));
  assert.deepEqual(tolerations("[1]"), unreadable("json: cannot unmarshal number into Go value of type core.Toleration"));
  assert.deepEqual(
    tolerations('[{"key":1}]'),
    unreadable("json: cannot unmarshal number into Go struct field Toleration.Key of type string"),
  );
  assert.deepEqual(
    tolerations('[{"tolerationSeconds":1.5}]'),
    unreadable("json: cannot unmarshal number 1.5 into Go struct field Toleration.TolerationSeconds of type int64"),
  );
  assert.deepEqual(tolerations("[")?.length, 1);
  assert.deepEqual(tolerations('[{"key":"a","operator":"Sometimes","effect":"NoSchedule","tolerationSeconds":9223372036854775807}]'), [
    `template.annotations.${key}[0].effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    `template.annotations.${key}[0].operator: Unsupported value: "Sometimes": supported values: "Equal", "Exists"`,
  ]);
});

test("seccomp profiles in annotations are known ones or local paths", () => {
  const ofPod = "seccomp.security.alpha.kubernetes.io/pod", ofContainer = "container.seccomp.security.alpha.kubernetes.io/c";
  for (const valid of ["runtime/default", "docker/default", "unconfined", "localhost/a/b"]) {
    assert.deepEqual(errorsFor({ [ofPod]: valid, [ofContainer]: valid }), [], valid);
  }
  assert.deepEqual(errorsFor({ [ofPod]: "none", [ofContainer]: "localhost/../a" }), [
    `template.annotations.${ofPod}: Invalid value: "none": must be a valid seccomp profile`,
    `template.annotations.${ofContainer}: Invalid value: "../a": must not contain '..'`,
  ]);
});

test("AppArmor profiles in annotations refer to an existing container", () => {
  const key = (name: string) => `container.apparmor.security.beta.kubernetes.io/${name}`;
  for (const valid of ["", "runtime/default", "unconfined", "localhost/a"]) assert.deepEqual(errorsFor({ [key("c")]: valid }), [], valid);
  assert.deepEqual(errorsFor({ [key("i")]: "unconfined" }, { initContainers: [{ name: "i", image: "a", resources: {} }] }), []);
  assert.deepEqual(errorsFor({ [key("x")]: "a" }), [
    `template.annotations[${key("x")}]: Invalid value: "x": container not found`,
    `template.annotations[${key("x")}]: Invalid value: "a": invalid AppArmor profile name: "a"`,
  ]);
});

test("annotation and field of a seccomp profile must match", () => {
  const pod = { "seccomp.security.alpha.kubernetes.io/pod": "localhost/a" };
  const whole = (profile: object) => errorsFor(pod, { securityContext: { seccompProfile: profile } });
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
    errorsFor({ "container.seccomp.security.alpha.kubernetes.io/c": annotation }, one({ securityContext: { seccompProfile: profile } }));
  assert.deepEqual(container("docker/default", local("RuntimeDefault")), []);
  assert.deepEqual(container("unconfined", local("Unconfined")), []);
  assert.deepEqual(container("unconfined", local("Localhost", "a")), [
    "containers[0].securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
  ]);
});

test("annotation and field of an AppArmor profile must match; the pod's field applies to containers without one", () => {
  const key = "container.apparmor.security.beta.kubernetes.io/c";
  const errorsWith = (annotation: string, spec: object) => errorsFor({ [key]: annotation }, spec);
  const whole = (profile: object) => ({ securityContext: { appArmorProfile: profile } });
  const type = ["containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match"];
  assert.deepEqual(errorsWith("unconfined", whole(local("Unconfined"))), []);
  assert.deepEqual(errorsWith("runtime/default", whole(local("Unconfined"))), type);
  assert.deepEqual(errorsWith("localhost/a", one(whole(local("RuntimeDefault")))), type);
  assert.deepEqual(errorsWith("unconfined", one(whole(local("Localhost", "a")))), type);
  assert.deepEqual(errorsWith("localhost/a", one(whole(local("Localhost", "a")))), []);
  assert.deepEqual(errorsWith("localhost/b", one(whole(local("Localhost", "a")))), [
    "containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match",
  ]);
  assert.deepEqual(errorsWith("runtime/default", { os: { name: "windows" }, securityContext: {} }), []);
});

test("the name of an AppArmor profile has no padding and at most 4095 bytes", () => {
  const path = "securityContext.appArmorProfile.localhostProfile";
  const profile = (name: string) =>
    texts(podTemplates.create?.(make({ securityContext: { appArmorProfile: local("Localhost", name) } }), at));
  assert.deepEqual(profile(""), [`${path}: Required value: must be set when AppArmor type is Localhost`]);
  assert.deepEqual(profile("  "), [`${path}: Invalid value: "  ": must not be padded with whitespace`]);
  assert.deepEqual(profile("x".repeat(4095)), []);
  assert.deepEqual(profile("x".repeat(4096)), [`${path}: Too long: may not be more than 4095 bytes`]);
});
