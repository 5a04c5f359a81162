// Versions by the emulated release: through compile().
import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../../core/meta/object.ts";
import { defaultNames } from "../../core/names.ts";
import type { Plugin, Served } from "../../core/plugin.ts";
import { releasesFor } from "../../core/releases.ts";
import { CatalogError } from "./catalog.ts";
import { compile } from "./compile.ts";

const schema = object("Thing", {}, { doc: "A thing." });
type Life = Omit<Served, "schema">;

/** A plugin with kinds of these versions in one group; the first one is stored. */
function pluginOf(...kinds: readonly Readonly<Record<string, Life>>[]): Plugin {
  return {
    name: "things",
    summary: "",
    resources: kinds.map((versions, index) => ({
      kind: index === 0 ? "Thing" : "Other",
      scope: "Cluster",
      summary: "",
      storedAs: `example.com/${Object.keys(versions)[0]}`,
      storedUnder: `things${index}`,
      served: Object.fromEntries(Object.entries(versions).map(([version, life]) => [`example.com/${version}`, { schema, ...life }])),
    })),
  };
}
interface Options {
  readonly emulated?: string;
  readonly minCompatibility?: string;
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  readonly isForwardCompatible?: boolean;
  readonly allowsNewer?: boolean;
  readonly featureGates?: ReadonlyMap<string, boolean>;
}
const catalogOf = (plugin: Plugin, { emulated = "1.35", minCompatibility, runtimeConfig = {}, ...options }: Options = {}) =>
  compile([plugin], {
    names: defaultNames,
    featureGates: new Map(),
    runtimeConfig: new Map(Object.entries(runtimeConfig)),
    releases: releasesFor(emulated, minCompatibility),
    ...options,
  });
/** The versions of the group, the preferred one first. */
const versionsOf = (plugin: Plugin, options?: Options) =>
  (catalogOf(plugin, options).group("example.com")?.versions ?? []).map(({ version }) => version);
const mistakesOf = (plugin: Plugin, options: Options): readonly string[] => {
  try {
    catalogOf(plugin, options);
    return [];
  } catch (error) {
    if (error instanceof CatalogError) return error.mistakes;
    throw error;
  }
};

test("rule beta-off-by-default: a beta version of 1.22 or later is off by default, an older one is on; an alpha version is off", () => {
  assert.deepEqual(versionsOf(pluginOf({ v1beta1: { introduced: "1.22" } })), []);
  assert.deepEqual(versionsOf(pluginOf({ v1beta1: { introduced: "1.21" } })), ["v1beta1"]);
  assert.deepEqual(versionsOf(pluginOf({ v1beta1: { introduced: "1.9" } })), ["v1beta1"]);
  assert.deepEqual(versionsOf(pluginOf({ v1alpha1: { introduced: "1.9" } })), []);
  assert.deepEqual(versionsOf(pluginOf({ v1beta1: { introduced: "1.21" } }), { runtimeConfig: { "api/beta": false } }), []);
});

test("rule preferred-version: a version is preferred only in the release after the one that introduced it", () => {
  const things = pluginOf({ v1: { introduced: "1.34" }, v1beta1: { introduced: "1.33" } });
  const runtimeConfig = { "api/all": true };
  assert.deepEqual(versionsOf(things, { emulated: "1.33", runtimeConfig }), ["v1beta1"]);
  assert.deepEqual(versionsOf(things, { emulated: "1.34", runtimeConfig }), ["v1beta1", "v1"]);
  assert.deepEqual(versionsOf(things, { emulated: "1.35", runtimeConfig }), ["v1", "v1beta1"]);
  // Without an older version that is beta or GA, the new one is preferred.
  assert.deepEqual(versionsOf(things, { emulated: "1.34" }), ["v1"]);
  const fromAlpha = pluginOf({ v1beta1: { introduced: "1.34" }, v1alpha1: { introduced: "1.33" } });
  assert.deepEqual(versionsOf(fromAlpha, { emulated: "1.34", runtimeConfig }), ["v1beta1", "v1alpha1"]);
  // The version of the group is not new if another kind has had it.
  const old = pluginOf({ v1: { introduced: "1.34" }, v1beta1: { introduced: "1.33" } }, { v1: { introduced: "1.20" } });
  assert.deepEqual(versionsOf(old, { emulated: "1.34", runtimeConfig }), ["v1", "v1beta1"]);
});

test("rule stored-version: values are stored in a version that the oldest compatible release had", () => {
  const things = pluginOf({ v1: { introduced: "1.34" }, v1beta1: { introduced: "1.31" }, v1alpha1: { introduced: "1.30" } });
  const storedAs = (emulated: string, minCompatibility?: string) =>
    catalogOf(things, { emulated, ...(minCompatibility === undefined ? {} : { minCompatibility }) }).stored[0]?.written.apiVersion;
  assert.equal(storedAs("1.35"), "example.com/v1");
  assert.equal(storedAs("1.34"), "example.com/v1beta1");
  assert.equal(storedAs("1.34", "1.34"), "example.com/v1");
  assert.equal(storedAs("1.35", "1.33"), "example.com/v1beta1");
  // Of a kind that the release did not have, and of one whose old version is removed, the new version is the only one.
  assert.equal(catalogOf(pluginOf({ v1: { introduced: "1.35" } }), { emulated: "1.33" }).stored[0]?.written.apiVersion, "example.com/v1");
  const replaced = pluginOf({ v1beta1: { introduced: "1.35" }, v1alpha1: { introduced: "1.30", removed: "1.35" } });
  assert.equal(catalogOf(replaced).stored[0]?.written.apiVersion, "example.com/v1beta1");
  assert.equal(catalogOf(replaced, { emulated: "1.34" }).stored[0]?.written.apiVersion, "example.com/v1alpha1");
});

test("compile() serves the versions of the emulated release", () => {
  const things = pluginOf({ v2: { introduced: "1.35" }, v1: { introduced: "1.34" }, v1alpha1: { introduced: "1.30", removed: "1.34" } });
  const runtimeConfig = { "api/all": true };
  assert.deepEqual(versionsOf(things, { emulated: "1.33", runtimeConfig }), ["v1alpha1"]);
  assert.deepEqual(versionsOf(things, { emulated: "1.34", runtimeConfig }), ["v1"]);
  assert.deepEqual(versionsOf(things, { emulated: "1.35", runtimeConfig }), ["v1", "v2"]);
  assert.deepEqual(versionsOf(things, { emulated: "1.34", runtimeConfig: { "example.com/v1alpha1": true } }), ["v1", "v1alpha1"]);
  assert.equal(mistakesOf(things, { emulated: "1.35", runtimeConfig: { "example.com/v1alpha1": true } }).length, 1);
});

test("compile() warns of versions that are deprecated in the emulated release", () => {
  const things = pluginOf({ v1beta1: { introduced: "1.31", deprecated: "1.34", removed: "1.37" } });
  const warningIn = (emulated: string) =>
    catalogOf(things, { emulated, runtimeConfig: { "api/beta": true } }).endpoint("example.com", "v1beta1", "things")?.deprecation;
  assert.equal(warningIn("1.33"), undefined);
  assert.deepEqual(warningIn("1.34"), {
    warning: "example.com/v1beta1 Thing is deprecated in v1.34+, unavailable in v1.37+",
    removedRelease: "1.37",
  });
});

test("compile() rejects settings that enable a version newer than the emulated release, with upstream's messages", () => {
  const things = pluginOf({ v1: { introduced: "1.35" }, v1beta1: { introduced: "1.33" } }, { v1: { introduced: "1.20" } });
  const only = pluginOf({ v1: { introduced: "1.35" } });
  const version = { "example.com/v1": true }, resource = { "example.com/v1/things": true };
  const advice = "Consider setting --runtime-config-emulation-forward-compatible=true";
  assert.deepEqual(mistakesOf(only, { emulated: "1.34", runtimeConfig: version }), [
    "cannot enable version example.com/v1 in runtime-config because all the resources have been introduced after the current version 1.34. " +
    advice,
  ]);
  assert.deepEqual(mistakesOf(things, { emulated: "1.34", runtimeConfig: version }), []);
  assert.equal(catalogOf(things, { emulated: "1.34", runtimeConfig: version }).endpoint("example.com", "v1", "things"), undefined);
  assert.deepEqual(mistakesOf(things, { emulated: "1.34", runtimeConfig: resource }), [
    "cannot enable resource example.com/v1, Resource=things in runtime-config because it is introduced at 1.35 after the current version " +
    `1.34. ${advice}`,
  ]);
  for (const runtimeConfig of [version, resource]) {
    const catalog = catalogOf(things, { emulated: "1.34", runtimeConfig, allowsNewer: true });
    assert.notEqual(catalog.endpoint("example.com", "v1", "things"), undefined);
  }
  for (const runtimeConfig of [{ "api/all": true }, { "example.com/v1/things": false }]) {
    assert.deepEqual(mistakesOf(things, { emulated: "1.34", runtimeConfig, allowsNewer: true }), []);
    assert.equal(
      catalogOf(things, { emulated: "1.34", runtimeConfig, allowsNewer: true }).endpoint("example.com", "v1", "things"),
      undefined,
    );
  }
});

test("compile() adds newer, more stable versions of served beta and GA kinds if it is to be forward compatible", () => {
  const forward = (versions: Readonly<Record<string, Life>>, runtimeConfig: Readonly<Record<string, boolean>>) =>
    versionsOf(pluginOf(versions), { emulated: "1.33", runtimeConfig, isForwardCompatible: true });
  const beta = { v1: { introduced: "1.34" }, v1beta1: { introduced: "1.31" } };
  assert.deepEqual(forward(beta, { "example.com/v1beta1": true }).toSorted(), ["v1", "v1beta1"]);
  assert.deepEqual(forward(beta, {}), []);
  assert.deepEqual(forward({ v1beta1: { introduced: "1.34" }, v1alpha1: { introduced: "1.31" } }, { "api/alpha": true }), ["v1alpha1"]);
  assert.deepEqual(forward({ v1: { introduced: "1.30" }, v2alpha1: { introduced: "1.34" }, v2: { introduced: "1.35" } }, {}).toSorted(), [
    "v1",
    "v2",
  ]);
});

test("a version with a gate is served only while the gate is on, if --runtime-config enables it as well", () => {
  const featureGates = { Things: [{ since: "1.30", stage: "Alpha", default: false }] } as const;
  const plugin = { ...pluginOf({ v1beta1: { introduced: "1.33", gate: "Things" } }), featureGates };
  const on = new Map([["Things", true]]), runtimeConfig = { "example.com/v1beta1": true };
  assert.deepEqual(versionsOf(plugin, { runtimeConfig }), []);
  assert.deepEqual(versionsOf(plugin, { featureGates: on }), []);
  assert.deepEqual(versionsOf(plugin, { featureGates: on, runtimeConfig }), ["v1beta1"]);
});
