import assert from "node:assert/strict";
import { test } from "node:test";
import { plugins as builtIn } from "../../plugins/mod.ts";
import type { Plugin } from "../../core/plugin.ts";
import { chosenControllers } from "./choose-controllers.ts";

const run = () => Promise.resolve();
const plugins: readonly Plugin[] = [
  {
    name: "a",
    summary: "A.",
    controllers: [{ name: "collector", run }, { name: "counter", run }, { name: "base", run, isRequired: true }],
  },
  { name: "b", summary: "B.", controllers: [{ name: "publisher", run }] },
  { name: "c", summary: "C." },
];
const namesOf = (chosen: readonly Plugin[]) => chosen.flatMap(({ controllers = [] }) => controllers.map(({ name }) => name)).join(" ");
const chosen = (...list: readonly string[]) => {
  const mistakes: string[] = [], result = chosenControllers(plugins, list, mistakes);
  return mistakes.length > 0 ? mistakes : namesOf(result);
};

test("without a list, and with *, all controllers run", () => {
  assert.equal(chosen(), "collector counter base publisher");
  assert.equal(chosen("*"), "collector counter base publisher");
  assert.deepEqual(chosenControllers(plugins, [], []).map((plugin, index) => plugin === plugins[index]), [true, true, true]);
});

test("a list with names runs these, -name leaves one out, -* leaves all out; required ones run", () => {
  assert.equal(chosen("counter"), "counter base");
  assert.equal(chosen("*", "-counter"), "collector base publisher");
  assert.equal(chosen("-counter", "-publisher"), "collector base");
  assert.equal(chosen("-*"), "base");
  assert.equal(chosen("-*", "publisher"), "base publisher");
  assert.equal(chosen("counter", "-counter"), "base");
});

test("names may end as those of kube-controller-manager", () => {
  assert.equal(chosen("*", "-collector-controller"), "counter base publisher");
  assert.equal(chosen("counter-controller"), "counter base");
});

test("unknown names are mistakes, and so is a required controller", () => {
  const known = "(there are: collector, counter, publisher)";
  assert.deepEqual(chosen("colector", "-base", "-constructor"), [
    `unknown controller "colector": did you mean "collector"? ${known}`,
    `unknown controller "base" ${known}`,
    `unknown controller "constructor" ${known}`,
  ]);
});

test("the controllers that kube-controller-manager has can be left out, and only these; a simulated cluster has its own always", () => {
  assert.equal(
    namesOf(chosenControllers(builtIn, ["-*"], [])),
    "legacy-token-tracking coordinated-leader-election custom-resource-establishing custom-resource-cleanup simulation",
  );
});
