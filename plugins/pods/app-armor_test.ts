// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { warnOfPodTemplate } from "../shared/pod/warnings.ts";
import { withProfiles } from "./app-armor.ts";

const key = "container.apparmor.security.beta.kubernetes.io/c";

/** The profile of the container `c` after creation, and whether there is a warning about the annotation. */
function profileOf(annotation: string | undefined, { own, whole, os }: { own?: object; whole?: object; os?: object } = {}) {
  const pod: any = {
    metadata: annotation === undefined ? {} : { annotations: { [key]: annotation } },
    spec: {
      containers: [{ name: "c", ...(own === undefined ? {} : { securityContext: { appArmorProfile: own } }) }],
      ...(whole === undefined ? {} : { securityContext: { appArmorProfile: whole } }),
      ...(os === undefined ? {} : { os }),
    },
  };
  const warnings = new Set<string>(), next = withProfiles(pod, defaultNames, warnings);
  return [next.spec.containers![0]!.securityContext?.appArmorProfile, warnings.size];
}

test("an annotation for AppArmor becomes the field of a container that has none, with a warning", () => {
  const unconfined = { type: "Unconfined" }, runtime = { type: "RuntimeDefault" };
  assert.deepEqual(profileOf("unconfined"), [unconfined, 1]);
  assert.deepEqual(profileOf("runtime/default"), [runtime, 1]);
  assert.deepEqual(profileOf("localhost/x"), [{ type: "Localhost", localhostProfile: "x" }, 1]);
  assert.deepEqual(profileOf("localhost/x", { whole: runtime }), [{ type: "Localhost", localhostProfile: "x" }, 1]);
  assert.deepEqual(profileOf("unconfined", { own: unconfined }), [unconfined, 0]);
  assert.deepEqual(profileOf("unconfined", { whole: unconfined }), [undefined, 0]);
  assert.deepEqual(profileOf("unconfined", { os: { name: "windows" } }), [undefined, 0]);
  assert.deepEqual(profileOf(undefined, { own: unconfined }), [unconfined, 0]);
});

test("an annotation that means no profile is left alone, with a warning", () => {
  for (const wrong of ["", "localhost/", "localhost/ x", `localhost/${"x".repeat(4096)}`]) {
    assert.deepEqual(profileOf(wrong), [undefined, 1]);
  }
  const longest = "x".repeat(4095);
  assert.deepEqual(profileOf(`localhost/${longest}`), [{ type: "Localhost", localhostProfile: longest }, 1]);
});

test("an annotation of a Windows pod, which gets no field, gives no warning", () => {
  const pod: any = {
    metadata: { annotations: { [key]: "unconfined" } },
    spec: { containers: [{ name: "c", resources: {} }], os: { name: "windows" } },
  };
  assert.deepEqual(warnOfPodTemplate(pod, "", defaultNames), []);
  assert.equal(warnOfPodTemplate(pod, "template", defaultNames).length, 1);
});
