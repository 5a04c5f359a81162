import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../../core/meta/object.ts";
import { defaultNames } from "../../core/names.ts";
import type { Plugin, Resource, Served } from "../../core/plugin.ts";
import { boolean, field, structsOf } from "../../core/schema.ts";
import type { Catalog } from "./catalog.ts";
import { compile } from "./compile.ts";
import { serverRelease } from "../../core/releases.ts";

const schema = object("Thing", {}, { doc: "A thing." });
const thing = (version: string, life: Partial<Served>): Plugin => ({
  name: "test",
  summary: "",
  resources: [{
    kind: "Thing",
    scope: "Cluster",
    summary: "",
    storedAs: `example.com/${version}`,
    storedUnder: "things",
    served: { [`example.com/${version}`]: { schema, introduced: "1.10", ...life } },
  }],
});
function isServed(version: string, life: Partial<Served>, ...runtimeConfig: readonly (readonly [string, boolean])[]): boolean {
  const catalog = compile([thing(version, life)], { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map(runtimeConfig) });
  return catalog.endpoint("example.com", version, "things") !== undefined;
}

test("compile() serves stable versions by default, and others by setting, of which the most specific applies", () => {
  assert.equal(isServed("v1", {}), true);
  const beta = { introduced: "1.33" };
  assert.equal(isServed("v1beta1", beta), false);
  assert.equal(isServed("v1beta1", beta, ["api/beta", true]), true);
  assert.equal(isServed("v1alpha1", {}, ["api/all", true]), true);
  assert.equal(isServed("v1", {}, ["api/ga", false]), false);
  assert.equal(isServed("v1beta1", {}, ["api/beta", true], ["example.com/v1beta1", false]), false);
  assert.equal(isServed("v1beta1", {}, ["example.com/v1beta1", false], ["example.com/v1beta1/things", true]), true);
});

test("rule removed-version: compile() uses a version that the target release has just removed only by name, and an earlier removed one never", () => {
  const removed = { deprecated: "1.20", removed: serverRelease };
  assert.equal(isServed("v1alpha1", removed, ["api/all", true], ["api/alpha", true]), false);
  assert.equal(isServed("v1alpha1", removed, ["example.com/v1alpha1", true]), true);
  const gone = { deprecated: "1.20", removed: "1.25" };
  assert.equal(isServed("v1beta1", gone, ["api/all", true]), false);
  for (const key of ["example.com/v1beta1", "example.com/v1beta1/things"]) {
    assert.throws(() => isServed("v1beta1", gone, [key, true]), {
      message: `"${key}" in --runtime-config was removed in 1.25: remove it from the setting`,
    });
  }
  const replaced = { ...gone, replacement: { groupVersion: "example.com/v1", kind: "Thing" } };
  assert.throws(() => isServed("v1beta1", replaced, ["example.com/v1beta1", false]), /was removed in 1\.25: use example\.com\/v1$/);
});

test("compile() returns unchanged parts as the same value, so that caches and watches outlive a catalog", () => {
  const both: Plugin = {
    ...thing("v1", {}),
    resources: [{
      ...thing("v1", {}).resources![0]!,
      served: { "example.com/v1": { schema, introduced: "1.10" }, "example.com/v1beta1": { schema, introduced: "1.33" } },
    }],
  };
  const of = (...runtimeConfig: readonly (readonly [string, boolean])[]) =>
    compile([both], { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map(runtimeConfig) });
  const before = of(), after = of(["api/beta", true]);
  assert.equal(after.stored[0], before.stored[0]);
  assert.equal(after.endpoint("example.com", "v1", "things"), before.endpoint("example.com", "v1", "things"));
  assert.equal(before.endpoint("example.com", "v1beta1", "things"), undefined);
  assert.deepEqual(before.versionsOf(before.stored[0]!).map(({ version }) => version), ["v1", "v1beta1"]);
  const elsewhere = compile([both], { names: { ...defaultNames, platform: "acme" }, featureGates: new Map(), runtimeConfig: new Map() });
  assert.notEqual(elsewhere.stored[0], before.stored[0]);
});

test("compile() returns the versions of a group as the same values when resources of another group appear", () => {
  const plugin = thing("v1", {}), resource = plugin.resources![0];
  const other = {
    ...resource!,
    storedAs: "other.example.com/v1",
    storedUnder: "others",
    served: { "other.example.com/v1": { schema, introduced: "1.0" } },
  };
  const of = (...appeared: readonly Resource[]) =>
    compile([plugin], { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() }, appeared);
  const before = of(), after = of(other), same = of({ ...other, storedUnder: "more", kind: "More", plural: "mores" }, other);
  assert.equal(after.version("example.com", "v1"), before.version("example.com", "v1"));
  assert.notEqual(after.version("other.example.com", "v1"), undefined);
  assert.notEqual(same.version("other.example.com", "v1"), after.version("other.example.com", "v1"));
});

test("compile() returns another kind if a gate of its defaults changes, and the same if another gate changes", () => {
  const Spec = structsOf("example/v1")("Spec", { mount: field(1, boolean, "", { pointer: true }) }, {
    gatedDefaults: { Mounts: (self) => self.mount === undefined ? { ...self, mount: false } : self },
  });
  const filled = thing("v1", { schema: object("Thing", { spec: field(2, Spec, "") }) });
  const ladder = [{ since: "1.10", stage: "Beta", default: true }] as const;
  const of = (...featureGates: readonly (readonly [string, boolean])[]) =>
    compile([{ ...filled, featureGates: { Mounts: ladder, Other: ladder } }], {
      names: defaultNames,
      featureGates: new Map(featureGates),
      runtimeConfig: new Map(),
    });
  const before = of(), off = of(["Mounts", false]);
  assert.equal(of(["Other", false]).stored[0], before.stored[0]);
  assert.notEqual(off.stored[0], before.stored[0]);
  assert.equal(of(["Mounts", true]).stored[0], before.stored[0]);
  const bare: any = { kind: "Thing", apiVersion: "example.com/v1", metadata: {}, spec: {} }; // The type does not contain the spec.
  const specOf = (catalog: Catalog) => (catalog.endpoint("example.com", "v1", "things")!.applyDefaults(bare) as any).spec;
  assert.deepEqual(specOf(before), { mount: false });
  assert.deepEqual(specOf(off), {});
});

test("compile() spells the configured domain in the keys of stored objects", () => {
  const plugin = thing("v1", {});
  const under = { ...plugin, resources: [{ ...plugin.resources![0]!, storedUnder: "example.{domain}/things" }] };
  const catalog = compile([under], { names: { ...defaultNames, domain: "acme.test" }, featureGates: new Map(), runtimeConfig: new Map() });
  assert.equal(catalog.endpoint("example.com", "v1", "things")?.stored.under, "example.acme.test/things");
});
