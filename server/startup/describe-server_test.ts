import assert from "node:assert/strict";
import { test } from "node:test";
import { type ActiveConfig, activeConfigOf } from "../config/active-config.ts";
import { readArguments, withDefaults } from "../config/parse.ts";
import { type Config, settings } from "../config/settings.ts";
import { describeConfig } from "./describe-server.ts";
import { openMetrics } from "./open-metrics.ts";

/** The settings, two of which will be removed. */
const table = {
  ...settings,
  "goaway-chance": { ...settings["goaway-chance"], deprecated: { since: "1.35", removed: "1.37", use: "a load balancer" } },
  "shutdown-delay-duration": { ...settings["shutdown-delay-duration"], deprecated: { since: "1.35", removed: "1.37", use: "nothing" } },
} as const;
const goaway = "Warning: flag --goaway-chance is deprecated since 1.35 and will be removed in 1.37: use a load balancer";
const shutdown = "Warning: flag --shutdown-delay-duration is deprecated since 1.35 and will be removed in 1.37: use nothing";

function configOf(args: readonly string[], file = ""): Config {
  const read = readArguments(args, () => file);
  assert.ok(!read.help);
  assert.deepEqual(read.mistakes, []);
  return read.config;
}

/** The lines at a start, and those of a change to `next`. */
function linesOf(first: Config, next?: Config): readonly (readonly string[])[] {
  const lines: string[][] = [[]], log = { info: (text: string) => void lines.at(-1)!.push(text) };
  const active = activeConfigOf(first, []);
  let swapped: (next: ActiveConfig, before: ActiveConfig) => void = () => {};
  describeConfig({ current: () => active, onSwap: (call) => void (swapped = call) }, openMetrics(first, log), log, table);
  if (next !== undefined) {
    lines.push([]);
    swapped(activeConfigOf(next, []), active);
  }
  return lines;
}

test("rule flag-warning: describeConfig() warns at the start of each deprecated setting that is given, also with its default value", () => {
  assert.deepEqual(linesOf(configOf([])), [[]]);
  assert.deepEqual(linesOf(configOf(["--goaway-chance=0.001"])), [[goaway]]);
  assert.deepEqual(linesOf(configOf(["--goaway-chance=0", "--shutdown-delay-duration=1s"])), [[goaway, shutdown]]);
  assert.deepEqual(linesOf(configOf(["--config=a.yaml"], "shutdown-delay-duration: 0s\n")), [[shutdown]]);
  assert.deepEqual(linesOf(withDefaults({ "goaway-chance": 0 })), [[goaway]]);
  assert.deepEqual(linesOf(configOf(["--goaway-chance=0", "--suppress-deprecation-warnings"])), [[]]);
});

test("rule flag-warning: describeConfig() warns of what a changed file has given anew", () => {
  const of = (file: string) => configOf(["--config=a.yaml"], file);
  assert.deepEqual(linesOf(of("goaway-chance: 0\n"), of("goaway-chance: 0.001\nshutdown-delay-duration: 0s\n")), [[goaway], [shutdown]]);
});
