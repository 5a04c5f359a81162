// In Deno's suite only: expressions and their results are recorded, and no module of a runtime is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedCases, sharedFile } from "./cases.ts";
import { sameValue } from "./compare.ts";
import { runSpecCase, type SpecCase } from "./spec-case.ts";

/** Files about libraries that an API server does not have. */
const otherLibraries = ["math_ext", "block_ext", "bindings_ext", "encoders_ext", "network_ext"];

/** Tests that may differ, as `FILE NAME`, by reason. The recorded cases of Kubernetes hold where both have an expression. */
const differences: Readonly<Record<string, readonly string[]>> = Object.freeze({
  "quoted names are not enabled in an API server": [
    "fields field_access_dash",
    "fields field_access_dot",
    "fields has_field_dash",
  ],
  "a constant index of a wrong type fails before it runs, as with the library of an API server": ["fields map_bad_key_type_and_false"],
  "repeated keys are accepted by the library of an API server": ["fields map_value_repeat_key"],
  "the library of an API server gives the whole duration in milliseconds": ["timestamps get_milliseconds"],
  "keys of maps may be doubles with the library of an API server": ["fields map_key_float"],
  "a declared name with a dot comes before the field of an iteration's variable in the library of an API server": [
    "namespace comprehension_shadowing_selector",
    "namespace comprehension_shadowing_selector_parse_only",
  ],
  "a missing field of null is none in the library of an API server": ["optionals map_null_entry_no_such_key"],
  "an API server has an earlier version of the strings library": [
    "string_ext default precision for fixed-point clause with int",
    "string_ext positive infinity support for scientific notation",
    "string_ext negative infinity support for decimal",
    "string_ext positive infinity support for fixed-point",
    "string_ext map support for string",
    "string_ext map support (all key types)",
    "string_ext dyntype support for scientific notation",
    "string_ext dyntype support for lists",
    "string_ext dyntype support for maps",
    "string_ext scientific notation formatting clause in a string variable",
    "string_ext single_character",
  ],
});
const listed = new Set(Object.values(differences).flat());

/** Whether the test applies to an API server, which has no containers and no test messages. */
function isOurs({ file, container, needsProto }: SpecCase): boolean {
  return needsProto !== true && container === undefined && !otherLibraries.includes(file);
}

function isMet({ expect, disableCheck }: SpecCase, found: SpecCase["expect"]): boolean {
  // Expressions that are not checked do not exist in an API server: one that the checker refuses is refused.
  if (expect.error !== undefined || disableCheck === true && found.error !== undefined) return found.error !== undefined;
  return (expect.value === undefined || found.value !== undefined && sameValue(expect.value, found.value)) &&
    (expect.type === undefined || expect.type === found.type);
}

const others = sharedCases(), spec = sharedFile("cel-spec.json");
if (spec === undefined || others === undefined) {
  test("conformance tests of the language", { skip: "../shared/vectors is not there" }, () => {});
} else {
  const recorded = new Set(others.flatMap((each) => each.mode === "policy" && each.group.startsWith("spec/") ? [each.expression] : []));
  const { cases } = spec as unknown as { readonly cases: readonly SpecCase[] }; // as its README says
  const ours = cases.filter((each) => isOurs(each) && !recorded.has(each.expr));
  for (const [file, members] of Map.groupBy(ours, (each) => each.file)) {
    test(`conformance tests of the language: ${file}`, () => {
      const wrong = members.flatMap((each) => {
        const found = runSpecCase(each), isListed = listed.has(`${file} ${each.name}`);
        return isMet(each, found) !== isListed
          ? []
          : [`${each.name}: ${each.expr}: ${JSON.stringify(found)}${isListed ? " does not differ" : ""}`];
      });
      assert.deepEqual(wrong, []);
    });
  }
}
