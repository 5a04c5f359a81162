import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plugin } from "../../core/plugin.ts";
import { type ChosenAdmission, chosenAdmission, missingConfigurations } from "./choose-admission.ts";

const step = (name: string, more: object = {}) => ({ name, resources: [], ...more });
const plugins: readonly Plugin[] = [
  { name: "a", summary: "A.", admission: [step("First"), step("Second"), step("Third", { isOptional: true })] },
  { name: "b", summary: "B." },
];
const chosen = (enabled: readonly string[], disabled: readonly string[], mistakes: string[] = []) =>
  chosenAdmission(plugins, { enabled, disabled }, mistakes);
const names = ({ plugins }: ChosenAdmission) => plugins[0]!.admission?.map(({ name }) => name);
const mistakesOf = (enabled: readonly string[], disabled: readonly string[]) => {
  const mistakes: string[] = [];
  chosen(enabled, disabled, mistakes);
  return mistakes;
};

test("steps are disabled by name, and optional ones run only if they are enabled", () => {
  assert.deepEqual(names(chosen([], [])), ["First", "Second"]);
  assert.deepEqual(names(chosen([], ["Second"])), ["First"]);
  assert.deepEqual(names(chosen(["Third", "First"], [])), ["First", "Second", "Third"]);
  assert.equal(chosen([], ["Second"]).plugins[1], plugins[1]);
  assert.equal(chosen(["Third"], []).plugins[0], plugins[0]);
});

test("the step of the kernel can be disabled", () => {
  assert.equal(chosen(["NamespaceLifecycle"], []).checksNamespaces, true);
  assert.equal(chosen([], ["NamespaceLifecycle"]).checksNamespaces, false);
});

test("a name that kube-apiserver has and this server has not can be disabled but not enabled", () => {
  assert.deepEqual(mistakesOf([], ["PodSecurity", "ServiceAccount"]), []);
  assert.deepEqual(mistakesOf(["NodeRestriction"], []), [
    'admission plugin "NodeRestriction" of kube-apiserver is not in this server and cannot be enabled (there are: NamespaceLifecycle, First, Second, Third)',
  ]);
});

test("names of a later release are taken by both settings, and not by both at once", () => {
  const later = ["JobValidation", "PodGroupProtection", "PodGroupWorkloadExists", "PodResizeValidator"];
  assert.deepEqual(mistakesOf(later, []), []);
  assert.deepEqual(mistakesOf([], later), []);
  assert.deepEqual(names(chosen(later, [])), ["First", "Second"]);
  assert.equal(mistakesOf(later, later).length, later.length);
});

test("unknown names, and names in both lists, are mistakes", () => {
  assert.deepEqual(mistakesOf(["Thrid"], ["Frist", "constructor"]), [
    'unknown admission plugin "Thrid": did you mean "Third"? (there are: NamespaceLifecycle, First, Second, Third)',
    'unknown admission plugin "Frist": did you mean "First"? (there are: NamespaceLifecycle, First, Second, Third)',
    'unknown admission plugin "constructor" (there are: NamespaceLifecycle, First, Second, Third)',
  ]);
  assert.deepEqual(mistakesOf(["First"], ["First"]), [
    'admission plugin "First" is in --enable-admission-plugins and in --disable-admission-plugins',
  ]);
});

test("a step that needs a configuration cannot be enabled without one", () => {
  const third = step("Third", { isOptional: true, configuration: { isRequired: true } });
  const missing = (enabled: readonly string[], configurations: readonly string[]) => {
    const chosen = chosenAdmission([{ name: "a", summary: "A.", admission: [third] } as Plugin], { enabled, disabled: [] }, []);
    return missingConfigurations(chosen, new Map(configurations.map((name) => [name, {}])));
  };
  assert.deepEqual([missing([], []), missing(["Third"], ["Third"])], [[], []]);
  assert.deepEqual(missing(["Third"], []), [
    'admission plugin "Third" needs a configuration in the file of --admission-control-config-file',
  ]);
});
