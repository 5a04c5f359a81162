import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../core/test-clock.ts";
import { withDefaults } from "../config/parse.ts";
import { activeConfigOf } from "../config/active-config.ts";
import { jsonLog } from "../../kernel/observe/log.ts";
import { openMetrics } from "./open-metrics.ts";
import { reloader, reloadMs } from "./reload.ts";

test("reloader() logs a mistake on each request, and once for any number of checks of the file", async () => {
  const config = withDefaults({ "data-dir": ":memory:" });
  const told: string[] = [], active = activeConfigOf(config, []);
  const log = jsonLog((line) => told.push(JSON.parse(line).level), () => 0);
  let written = { config: { ...config, "etcd-prefix": "/elsewhere" }, plugins: [], text: "etcd-prefix: /elsewhere" };
  const reload = reloader({
    read: () => Promise.resolve(written),
    text: "",
    inForce: () => active,
    swap: () => assert.fail("nothing changes"),
    record: openMetrics(config, log).record,
    log,
    now: () => 0,
  });
  for (const asked of [true, false, false, true, false]) await reload(asked);
  assert.deepEqual(told, ["error", "error"]);
  written = { config, plugins: [], text: "" };
  for (const asked of [false, false]) await reload(asked);
  assert.deepEqual(told, ["error", "error", "info"], "a return to the active text is logged");
});

test("reloader() ends a reload that never ends, logs it, and runs the next one", async () => {
  const config = withDefaults({ "data-dir": ":memory:" });
  const told: string[] = [], active = activeConfigOf(config, []);
  const log = jsonLog((line) => told.push(JSON.parse(line).error ?? JSON.parse(line).message), () => 0);
  const clock = manualClock();
  const reads = [new Promise<never>(() => {}), Promise.resolve({ config, plugins: [], text: "" })];
  const reload = reloader({
    read: () => reads.shift()!, // Two reloads.
    text: "",
    inForce: () => active,
    swap: () => assert.fail("nothing changes"),
    record: openMetrics(config, log).record,
    log,
    now: () => 0,
    clock,
  });
  const both = Promise.all([reload(true), reload(true)]);
  while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(reloadMs);
  await both;
  assert.match(told.join("\n"), /^the configuration was not read within 60 s\n.*nothing has changed$/s);
});
