import assert from "node:assert/strict";
import { test } from "node:test";
import { deprecationMistakes } from "./deprecated-flags.ts";
import { type AnySetting, settings } from "./settings.ts";

const of = (removed: string, stage?: "Alpha" | "Beta" | "GA", use = "use --new") =>
  deprecationMistakes({ old: { deprecated: { since: "1.34", removed, use, ...(stage === undefined ? {} : { stage }) } } });

test("rule flag-removal: a deprecated flag works for the period of its stage", () => {
  assert.deepEqual(of("1.35"), [
    'flag --old: deprecated in 1.34 and removed in 1.35: set removed to "1.36" or later (deprecation policy, rule flag-removal)',
  ]);
  assert.deepEqual([of("1.36"), of("1.36", "GA"), of("1.35", "Beta"), of("1.34", "Alpha")], [[], [], [], []]);
  assert.equal(of("1.34", "Beta").length, 1);
  assert.equal(of("1.33", "Alpha").length, 1);
});

test("rule flag-removal: a deprecated flag names its replacement, and its releases", () => {
  assert.deepEqual(of("1.36", "GA", " "), [
    "flag --old: deprecated in 1.34 without a replacement: name what to use, or what to do (deprecation policy, rule flag-removal)",
  ]);
  assert.deepEqual(of("soon"), ['flag --old: "soon" is not a release such as "1.18"']);
});

test("the flags of this program keep the deprecation policy", () => {
  assert.deepEqual(deprecationMistakes(settings), []);
});

test("a help text speaks of a removal only if the flag is declared as deprecated, so that it warns", () => {
  const said = Object.entries<AnySetting>(settings).filter(([, { help }]) => /deprecated since|will be removed|next release/i.test(help));
  assert.deepEqual(said.filter(([, { deprecated }]) => deprecated === undefined).map(([name]) => name), []);
});
