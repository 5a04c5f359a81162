import assert from "node:assert/strict";
import { test } from "node:test";
import type { GateStage } from "../../core/plugin.ts";
import { compile } from "./compile.ts";
import { settingWarnings } from "../../server/config/settings.ts";
import { CatalogError } from "./catalog.ts";
import { defaultNames } from "../../core/names.ts";
import { gateMistakes } from "../../core/define/gates.ts";
import { type GateRules, gateTable, kernelGates } from "../../core/released/gates.ts";
import { releasesFor } from "../../core/releases.ts";
import { helpText, listedGates } from "../../server/config/help.ts";

const ladders: Record<string, readonly GateStage[]> = {
  Young: [{ since: "1.35", stage: "Alpha", default: false }],
  Grown: [{ since: "1.30", stage: "Alpha", default: false }, { since: "1.34", stage: "Beta", default: true }],
  Late: [{ since: "1.36", stage: "Alpha", default: false }],
  Done: [{ since: "1.34", stage: "GA", default: true }],
  Fixed: [{ since: "1.33", stage: "GA", default: true, locked: true }],
  Going: [{ since: "1.33", stage: "Deprecated", default: false, removed: "1.36" }],
  Gone: [{ since: "1.30", stage: "Deprecated", default: true, locked: true, removed: "1.35" }],
};
function table(wanted: Readonly<Record<string, boolean>>, dependencies: GateRules["dependencies"] = {}) {
  const mistakes: string[] = [];
  const { states, warnings } = gateTable({ ladders, dependencies }, new Map(Object.entries(wanted)), mistakes);
  return { on: states.filter(({ on }) => on).map(({ name }) => name), names: states.map(({ name }) => name), warnings, mistakes };
}

test("gateTable() starts with each gate's default at the target release, and lacks gates that do not exist in it", () => {
  const { on, names, warnings, mistakes } = table({});
  assert.deepEqual(names, ["Done", "Fixed", "Going", "Grown", "Young"]);
  assert.deepEqual([on, warnings, mistakes], [["Done", "Fixed", "Grown"], [], []]);
});

test("gateTable() applies AllAlpha and AllBeta to gates that are not named", () => {
  assert.deepEqual(table({ AllAlpha: true, AllBeta: false }).on, ["Done", "Fixed", "Young"]);
  assert.deepEqual(table({ AllAlpha: true, Young: false, AllBeta: false, Grown: true }).on, ["Done", "Fixed", "Grown"]);
});

test("rule gate-warning: gateTable() rejects unknown gates with a suggestion, and changes of locked ones with upstream's message", () => {
  assert.deepEqual(table({ Yong: true, Late: true, Gone: true, constructor: true }).mistakes, [
    'unknown feature gate "Yong": did you mean "Young"?',
    'unknown feature gate "Late"',
    'unknown feature gate "Gone": did you mean "Done"?',
    'unknown feature gate "constructor"',
  ]);
  assert.deepEqual(table({ Fixed: false }).mistakes, ["cannot set feature gate Fixed to false, feature is locked to true"]);
  assert.deepEqual(table({ Fixed: true }).mistakes, []);
});

test("gateTable() rejects an enabled gate with disabled dependencies, with upstream's message", () => {
  const needs = { Grown: ["Done", "Young"] };
  assert.deepEqual(table({}, needs).mistakes, ["Grown is enabled, but depends on features that are disabled: [Young]"]);
  assert.deepEqual(table({ Done: false }, needs).mistakes, ["Grown is enabled, but depends on features that are disabled: [Done Young]"]);
  assert.deepEqual(table({ Young: true }, needs).mistakes, []);
  assert.deepEqual(table({ Grown: false }, needs).mistakes, []);
});

test("gateTable() does not ask an enabled gate without effect for gates that no active plugin declares", () => {
  const mistakesOf = (inert: readonly string[], needed: string) => {
    const mistakes: string[] = [];
    gateTable({ ladders, dependencies: { Grown: [needed] }, inert: new Set(inert) }, new Map(), mistakes);
    return mistakes;
  };
  assert.deepEqual(mistakesOf(["Grown"], "Elsewhere"), []);
  assert.equal(mistakesOf([], "Elsewhere").length, 1);
  assert.equal(mistakesOf(["Grown"], "Young").length, 1);
});

test("compile() accepts a plugin's gate that has no effect without the plugin, and no second declaration of one that has", () => {
  const of = (gate: string) => ({
    name: "mounts",
    summary: "",
    featureGates: { [gate]: [{ since: "1.30", stage: "Alpha", default: false }] as const },
  });
  const config = { names: defaultNames, featureGates: new Map([["RecursiveReadOnlyMounts", true]]), runtimeConfig: new Map() };
  const { gates } = compile([of("RecursiveReadOnlyMounts")], config);
  assert.deepEqual([gates.isOn("RecursiveReadOnlyMounts"), gates.warnings], [true, []]);
  assert.throws(() => compile([of("WatchList")], config), /feature gate "WatchList" is declared twice/);
});

test("gateTable() has the stages of the emulated release, and rejects gates that it does not have with upstream's message", () => {
  const tableIn = (emulated: string, wanted: Readonly<Record<string, boolean>> = {}) => {
    const mistakes: string[] = [];
    const { states, isOn } = gateTable({ ladders, releases: releasesFor(emulated) }, new Map(Object.entries(wanted)), mistakes);
    return { states: states.map(({ name, stage, on }) => `${name} ${stage} ${on}`), isOn, mistakes };
  };
  const old = tableIn("1.33");
  assert.deepEqual(old.states, ["Fixed GA true", "Going Deprecated false", "Gone Deprecated true", "Grown Alpha false"]);
  assert.deepEqual([old.isOn("Young"), old.isOn("Done"), old.isOn("Gone")], [false, false, true]);
  assert.throws(() => old.isOn("Late"), /no plugin declares it/);
  for (const value of [true, false]) {
    assert.deepEqual(tableIn("1.33", { Young: value }).mistakes, [
      `cannot set feature gate Young to ${value}, feature is PreAlpha at emulated version 1.33, min compatibility version 1.32`,
    ]);
  }
  assert.deepEqual(tableIn("1.33", { AllAlpha: true }).states.at(-1), "Grown Alpha true");
  assert.deepEqual(tableIn("1.33", { Late: true }).mistakes, ['unknown feature gate "Late"']);
});

test("rule gate-warning: gateTable() warns of GA and deprecated gates that are set, with upstream's messages", () => {
  assert.deepEqual(table({ Done: true, Going: true, Grown: true }).warnings, [
    "Setting GA feature gate Done=true. It will be removed in a future release.",
    "Setting deprecated feature gate Going=true. It will be removed in a future release.",
  ]);
});

test("the gates of the kernel keep the deprecation policy", () => {
  assert.deepEqual(Object.entries(kernelGates).flatMap(([gate, stages]) => gateMistakes(gate, stages)), []);
});

test("rule flag-warning: settingWarnings() warns of deprecated flags that are set, with the releases and the replacement", () => {
  const rows = { "old": { help: "", deprecated: { since: "1.34", removed: "1.37", use: "--new" } }, "new": { help: "" } };
  assert.deepEqual(settingWarnings(["new", "old", "constructor"], rows), [
    "flag --old is deprecated since 1.34 and will be removed in 1.37: use --new",
  ]);
});

test("compile() accepts dependencies between gates of different plugins", () => {
  const plugin = (name: string, needs: readonly string[]) => ({
    name,
    summary: "",
    featureGates: { [`${name}Gate`]: [{ since: "1.30", stage: "Beta", default: true }] as const },
    gateDependencies: { [`${name}Gate`]: needs },
  });
  const of = (...plugins: Parameters<typeof compile>[0]) =>
    compile(plugins, { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() });
  assert.equal(of(plugin("A", ["BGate"]), plugin("B", [])).gates.isOn("AGate"), true);
  assert.throws(
    () => of(plugin("A", ["BGate"])),
    (error) =>
      error instanceof CatalogError && error.mistakes.includes("AGate is enabled, but depends on features that are disabled: [BGate]"),
  );
});

test("helpText() lists gates with stage, default, lock and removal", () => {
  const help = helpText(listedGates([ladders]), []);
  assert.match(help, /^ {2}Grown=true\|false \(Beta, default true\)$/m);
  assert.match(help, /^ {2}Fixed=true\|false \(GA, default true, locked\)$/m);
  assert.match(help, /^ {2}Going=true\|false \(Deprecated, default false, removed in 1\.36\)$/m);
  assert.doesNotMatch(help, /Late|Gone/);
});
