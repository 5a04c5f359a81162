import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plugin } from "../../core/plugin.ts";
import { withoutAdmission } from "./choose-admission.ts";

const step = (name: string) => ({ name, resources: [] });
const plugins: readonly Plugin[] = [
  { name: "a", summary: "A.", admission: [step("First"), step("Second")] },
  { name: "b", summary: "B." },
];
const names = (chosen: readonly Plugin[]) => chosen.map(({ admission = [] }) => admission.map(({ name }) => name));

test("withoutAdmission() removes steps by name, and returns plugins without such steps unchanged", () => {
  const mistakes: string[] = [];
  const chosen = withoutAdmission(plugins, ["Second"], mistakes);
  assert.deepEqual(names(chosen), [["First"], []]);
  assert.equal(chosen[1], plugins[1]);
  assert.equal(withoutAdmission(plugins, [], mistakes)[0], plugins[0]);
  assert.deepEqual(mistakes, []);
});

test("withoutAdmission() reports an unknown name, with a suggestion", () => {
  const mistakes: string[] = [];
  withoutAdmission(plugins, ["Frist", "constructor"], mistakes);
  assert.deepEqual(mistakes, [
    'unknown admission plugin "Frist": did you mean "First"? (there are: First, Second)',
    'unknown admission plugin "constructor" (there are: First, Second)',
  ]);
});
