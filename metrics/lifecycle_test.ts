import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry, defineMetric, hiddenVersionMistake, metricMistakes, type MetricStability, stateAt } from "./mod.ts";

const old = (stability: MetricStability) =>
  defineMetric({ name: "old_total", type: "counter", help: "Old.", labels: [], stability, deprecatedSince: "1.34.0" });
const releases = ["1.33", "1.34", "1.35", "1.36", "1.37", "1.38", "1.39"];

test("rule metric-hiding: stateAt() lets a deprecated metric stay, hides it for one release and drops it, by its class", () => {
  const life = (stability: MetricStability) => releases.map((release) => stateAt(old(stability), release));
  assert.deepEqual(life("STABLE"), ["shown", "deprecated", "deprecated", "deprecated", "hidden", "gone", "gone"]);
  assert.deepEqual(life("BETA"), ["shown", "deprecated", "hidden", "gone", "gone", "gone", "gone"]);
  assert.deepEqual(life("ALPHA"), ["shown", "hidden", "gone", "gone", "gone", "gone", "gone"]);
  assert.deepEqual([stateAt(old("STABLE"), "2.0"), stateAt(old("STABLE"), "0.9")], ["gone", "shown"]);
});

test("rule metric-warning, metric-hiding: createRegistry() serves a deprecated metric according to its class and the release", async () => {
  const served = async (release: string, showHidden: boolean) => {
    const { record, text } = createRegistry({ old: old("BETA") }, { release, showHidden });
    record.old.with({}).add(3);
    return (await text()).split("\n")[0];
  };
  const help = "# HELP old_total [BETA] (Deprecated since 1.34.0) Old.";
  for (const showHidden of [false, true]) {
    assert.equal(await served("1.33", showHidden), "# HELP old_total [BETA] Old.");
    assert.equal(await served("1.34", showHidden), help);
    assert.equal(await served("1.35", showHidden), showHidden ? help : "");
    assert.equal(await served("1.36", showHidden), "", "a metric that is gone cannot be shown");
  }
});

test("rule metric-warning: createRegistry() calls deprecatedUsed once for a deprecated metric, and never for one not yet deprecated or hidden", () => {
  const namesUsed = (release: string) => {
    const names: string[] = [];
    const { record } = createRegistry({ old: old("BETA") }, { release, deprecatedUsed: ({ name }) => names.push(name) });
    record.old.with({}).add();
    record.old.with({}).add();
    return names;
  };
  assert.deepEqual(releases.slice(0, 3).map(namesUsed), [[], ["old_total"], []]);
});

test("createRegistry() leaves out disabled metrics, even if showHidden is set", async () => {
  const { record, text, standing } = createRegistry({ old: old("BETA") }, { release: "1.35", showHidden: true, disabled: ["old_total"] });
  record.old.with({}).add();
  assert.equal(await text(), "");
  assert.deepEqual(standing.map(({ state }) => state), ["disabled"]);
});

test("hiddenVersionMistake() accepts the previous minor release only", () => {
  assert.equal(hiddenVersionMistake("", "1.35"), undefined);
  assert.equal(hiddenVersionMistake("1.34", "1.35"), undefined);
  for (const bad of ["1.35", "1.33", "1.34.0", "v1.34", "2.34", " 1.34"]) {
    assert.equal(
      hiddenVersionMistake(bad, "1.35"),
      "--show-hidden-metrics-for-version must be omitted or have the value '1.34'. Only the previous minor version is allowed",
      bad,
    );
  }
});

test("rule metric-deprecation: a metric is served for the period of its class before it is deprecated", () => {
  const of = (stability: MetricStability, introducedIn: string, deprecatedSince: string) =>
    metricMistakes({ name: "old_total", type: "counter", help: "Old.", labels: [], stability, introducedIn, deprecatedSince });
  assert.deepEqual(of("STABLE", "1.31.0", "1.34.0"), [
    "deprecated in 1.34.0, but a STABLE metric that 1.31.0 introduced is served for 4 releases before that: " +
    'set deprecatedSince to "1.35.0" or later (deprecation policy, rule metric-deprecation)',
  ]);
  assert.equal(of("BETA", "1.33.0", "1.34.0").length, 1);
  assert.equal(of("ALPHA", "1.35.0", "1.34.0").length, 1);
  assert.deepEqual([of("STABLE", "1.30.0", "1.34.0"), of("BETA", "1.32.0", "1.34.0"), of("ALPHA", "1.34.0", "1.34.0")], [[], [], []]);
  assert.deepEqual(of("BETA", "1.32", "1.34.0")[0], 'introducedIn "1.32" must be a release such as "1.34.0"');
});
