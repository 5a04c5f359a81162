import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, DefinitionError } from "./define.ts";
import { object } from "../meta/object.ts";
import type { Resource, Served } from "../plugin.ts";
import { field, string } from "../schema.ts";

const schema = object("Thing", { color: field(2, string, "Its color.") });
type Life = Omit<Served, "schema">;

/** The mistakes of a kind with these versions, without the common prefix and suffix. */
function mistakesOf(versions: Readonly<Record<string, Life>>, storedAs = `example.com/${Object.keys(versions)[0]}`): readonly string[] {
  const served = Object.fromEntries(Object.entries(versions).map(([version, life]) => [`example.com/${version}`, { schema, ...life }]));
  const resource: Resource = { kind: "Thing", scope: "Namespaced", summary: "A thing.", storedAs, storedUnder: "things", served };
  try {
    defineResource(resource);
    return [];
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.mistakes.map((each) => each.replace(/^Thing: /, ""));
  }
}
const rule = (name: string) => ` (deprecation policy, rule ${name})`;
const v1: Life = { introduced: "1.20" };
const by = (version: string) => ({ groupVersion: `example.com/${version}`, kind: "Thing" });

test("rule ga-version-removal: a GA version is not removed within its major release", () => {
  assert.deepEqual(mistakesOf({ v1: { introduced: "1.10", deprecated: "1.20", removed: "1.40" } }), [
    "example.com/v1: removed in 1.40, but a GA version is not removed within its major release: leave out removed, and set deprecated" +
    rule("ga-version-removal"),
  ]);
  assert.deepEqual(mistakesOf({ v1: { introduced: "1.10", deprecated: "1.20" } }), []);
  assert.deepEqual(mistakesOf({ v1: { introduced: "1.10", deprecated: "1.20", removed: "2.0" } }), []);
});

test("rule beta-version-removal: a beta version is deprecated before it is removed, and is served for three releases after that", () => {
  const of = (life: Omit<Life, "introduced">) => mistakesOf({ v1, v1beta1: { introduced: "1.30", replacement: by("v1"), ...life } });
  assert.deepEqual(of({ deprecated: "1.33", removed: "1.36" }), []);
  assert.deepEqual(of({ deprecated: "1.33", removed: "1.35" }), [
    "example.com/v1beta1: removed in 1.35, 2 releases after its deprecation in 1.33, but a beta version is served for 3 releases: " +
    `set removed to "1.36"${rule("beta-version-removal")}`,
  ]);
  assert.match(of({ deprecated: "1.33", removed: "1.37" }).join(), /removed in 1\.37, 4 releases after .*set removed to "1\.36"/);
  assert.match(of({ deprecated: "1.33", removed: "1.34" }).join(), /removed in 1\.34, 1 release after/);
  assert.deepEqual(of({ deprecated: "1.33" }), [
    `example.com/v1beta1: deprecated in 1.33 without a removal: set removed to "1.36"${rule("beta-version-removal")}`,
  ]);
  assert.ok(
    of({ removed: "1.36" }).includes(
      `example.com/v1beta1: removed in 1.36 without a deprecation: set deprecated to "1.33" or earlier${rule("beta-version-removal")}`,
    ),
  );
  // Only the minimum applies to versions from before the rule.
  const old = (removed: string) => mistakesOf({ v1, v1beta1: { introduced: "1.5", deprecated: "1.21", removed, replacement: by("v1") } });
  assert.deepEqual([old("1.25"), old("1.24")], [[], []]);
  assert.match(old("1.23").join(), /beta-version-removal/);
});

test("rule beta-version-deprecation: a beta version is deprecated within three releases of its introduction", () => {
  const late = (state: string, introduced: string, latest: string) =>
    `example.com/v1beta1: ${state}, more than 3 releases after its introduction in ${introduced}: set deprecated to "${latest}" or earlier${
      rule("beta-version-deprecation")
    }`;
  assert.deepEqual(mistakesOf({ v1beta1: { introduced: "1.32" } }), []);
  assert.deepEqual(mistakesOf({ v1beta1: { introduced: "1.31" } }), [late("not deprecated in 1.35", "1.31", "1.34")]);
  assert.deepEqual(mistakesOf({ v1beta1: { introduced: "1.30", deprecated: "1.34", removed: "1.37" } }), [
    late("deprecated in 1.34", "1.30", "1.33"),
  ]);
  assert.deepEqual(mistakesOf({ v1beta1: { introduced: "1.30", deprecated: "1.33", removed: "1.36" } }), []);
  // Versions from before the rule: the bound, and one past it.
  assert.deepEqual(mistakesOf({ v1beta1: { introduced: "1.18" } }), []);
  assert.equal(mistakesOf({ v1beta1: { introduced: "1.19" } }).length, 1);
});

test("rule alpha-version-removal: an alpha version may be removed in any release, also without a deprecation", () => {
  assert.deepEqual(mistakesOf({ v1, v1alpha1: { introduced: "1.34", removed: "1.35" } }), []);
  assert.deepEqual(mistakesOf({ v1, v1alpha1: { introduced: "1.34", deprecated: "1.34", removed: "1.34" } }), []);
});

test("rule replacement: a deprecated version names a replacement that is served then, and longer", () => {
  const of = (replacement: Life["replacement"], heir: Life = v1) =>
    mistakesOf({
      v1: heir,
      v1beta1: { introduced: "1.29", deprecated: "1.32", removed: "1.35", ...(replacement === undefined ? {} : { replacement }) },
    });
  assert.deepEqual(of(undefined), [
    `example.com/v1beta1: deprecated in 1.32 without a replacement: set replacement, such as "example.com/v1"${rule("replacement")}`,
  ]);
  assert.deepEqual(of(by("v1")), []);
  assert.deepEqual(of({ groupVersion: "other.example.com/v1", kind: "Thing" }), []);
  assert.deepEqual(of(by("v1"), { introduced: "1.33" }), [
    `example.com/v1beta1: deprecated in 1.32, before its replacement is introduced in 1.33: set deprecated to "1.33" or later${
      rule("replacement")
    }`,
  ]);
  assert.deepEqual(of(by("v1beta1")), [`example.com/v1beta1: it replaces itself: name another version${rule("replacement")}`]);
  const betas = mistakesOf({
    v1beta2: { introduced: "1.29", deprecated: "1.31", removed: "1.34" },
    v1beta1: { introduced: "1.28", deprecated: "1.31", removed: "1.35", replacement: by("v1beta2") },
  });
  assert.ok(betas.some((each) => each.includes('its replacement "example.com/v1beta2" is removed in 1.34, before the version itself')));
  // A kind that ends has no replacement.
  assert.deepEqual(mistakesOf({ v1beta1: { introduced: "1.30", deprecated: "1.33", removed: "1.36" } }), []);
});

test("rule replacement-stability: a version is not deprecated in favor of a less stable one", () => {
  const of = (version: string, replacement: string) =>
    mistakesOf({
      [version]: {
        introduced: "1.31",
        deprecated: "1.33",
        ...(version === "v1beta1" ? { removed: "1.36" } : {}),
        replacement: by(replacement),
      },
    }).map((each) => each.slice("example.com/".length));
  assert.deepEqual(of("v1", "v2beta1"), [
    'v1: its replacement "example.com/v2beta1" is Beta, less stable than GA: name a replacement that is GA or more stable, or do not ' +
    `deprecate the version yet${rule("replacement-stability")}`,
  ]);
  assert.match(of("v1beta1", "v2alpha1").join(), /is Alpha, less stable than Beta/);
  for (
    const [version, replacement] of [["v1", "v2"], ["v1beta1", "v1beta2"], ["v1beta1", "v1"], ["v1alpha1", "v1alpha2"], ["v1alpha1", "v1"]]
  ) {
    assert.deepEqual(of(version!, replacement!), [], `${version} ${replacement}`);
  }
});

test("rule stored-version: the stored version was served by the release before, together with the old one", () => {
  const of = (introduced: string, beta: Life) => mistakesOf({ v1: { introduced }, v1beta1: { replacement: by("v1"), ...beta } });
  const living: Life = { introduced: "1.32", deprecated: "1.35", removed: "1.38" };
  assert.deepEqual(of("1.35", living), [
    'the stored version "example.com/v1" is introduced in 1.35, and no earlier release could read it: store "example.com/v1beta1" until 1.36' +
    rule("stored-version"),
  ]);
  assert.deepEqual(of("1.34", living), []);
  const { v1beta1, ...newer } = { v1: { introduced: "1.35" }, v1beta1: { ...living, replacement: by("v1") } };
  assert.deepEqual(mistakesOf({ ...newer, v1beta1 }, "example.com/v1beta1"), []);
  assert.deepEqual(
    of("1.33", { introduced: "1.27", deprecated: "1.30", removed: "1.33" }).filter((each) => each.includes("stored-version")),
    [
      'the stored version "example.com/v1" is introduced in 1.33, when "example.com/v1beta1" is not served any more: remove the older version ' +
      `later${rule("stored-version")}`,
    ],
  );
  // A new kind, and one that was alpha before, promise nothing.
  assert.deepEqual(mistakesOf({ v1: { introduced: "1.35" } }), []);
  assert.deepEqual(mistakesOf({ v1beta1: { introduced: "1.35" }, v1alpha1: { introduced: "1.34" } }), []);
});
