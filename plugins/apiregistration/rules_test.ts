// In Deno's suite only: the rules use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { readFacts } from "../../test/reference/facts.ts";
import { apiServices } from "./api-service.ts";
import { versionPriority } from "./priorities.ts";

const service = { namespace: "default", name: "web" };
function errorsOf(spec: object, name = "v1.example.com"): readonly string[] {
  const full = { group: "example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, ...spec };
  // `any`: also wrong values
  return apiServices.create!({ metadata: { name }, spec: full, status: {} } as any, { names: defaultNames } as any).map(fieldErrorText);
}

test("the rules of an APIService are upstream's", () => {
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [{ service }],
    [{ groupPriorityMinimum: 20_000, versionPriority: 1_000 }],
    [{ groupPriorityMinimum: 20_001, versionPriority: 1_001 }, "spec.groupPriorityMinimum: Invalid", "spec.versionPriority: Invalid"],
    [{ groupPriorityMinimum: 0, versionPriority: 0 }, "spec.groupPriorityMinimum: Invalid", "spec.versionPriority: Invalid"],
    [{ service: { ...service, namespace: "" } }, "spec.service.namespace: Required"],
    [{ service: { ...service, name: "" } }, "spec.service.name: Required"],
    [{ service: { ...service, port: 65_535 } }],
    [{ service: { ...service, port: 65_536 } }, "spec.service.port: Invalid"],
    [{ service, caBundle: "YQ==" }],
    [{ caBundle: "YQ==" }, "spec.caBundle: Invalid"],
    [{ service, insecureSkipTLSVerify: true }],
    [{ insecureSkipTLSVerify: true }, "spec.insecureSkipTLSVerify: Invalid"],
    [{ service, insecureSkipTLSVerify: true, caBundle: "YQ==" }, "spec.insecureSkipTLSVerify: Invalid"],
  ];
  for (const [spec, ...wanted] of cases) {
    const found = errorsOf({
      ...spec,
      ...(Object.hasOwn(spec, "service") && !Object.hasOwn((spec as any).service, "port")
        ? { service: { ...service, ...(spec as any).service, port: 443 } }
        : {}),
    });
    assert.deepEqual(found.map((each) => each.split(" ").slice(0, 2).join(" ")), wanted, JSON.stringify(spec));
  }
});

test("the name of an APIService is its version and group, and the group is empty for v1 only", () => {
  assert.match(
    errorsOf({}, "v2.example.com").join(),
    /^metadata\.name: Invalid value: "v2\.example\.com": must be `spec\.version\+"\."\+spec\.group`: "v1\.example\.com"$/,
  );
  assert.deepEqual(errorsOf({ group: "" }, "v1."), []);
  assert.match(errorsOf({ group: "", version: "v2" }, "v2.").join(), /^spec\.group: Required value/);
  assert.match(errorsOf({ group: "Not_Valid" }, "v1.Not_Valid").join(), /^spec\.group: Invalid value/);
  assert.match(errorsOf({ version: "V.1" }, "V.1.example.com").join(), /^spec\.version: Invalid value/);
});

test("versions have the priorities of the reference", () => {
  const { groupVersions } = readFacts<
    { readonly groupVersions: readonly Readonly<{ group: string; version: string; versionPriority: number }>[] }
  >(
    "discovery.json",
  );
  const compared = groupVersions.filter(({ group }) => group !== "apiregistration.k8s.io");
  assert.ok(compared.length > 30);
  for (const { group, version, versionPriority: wanted } of compared) {
    assert.equal(versionPriority(defaultNames, group, version), wanted, `${group}/${version}`);
  }
});
