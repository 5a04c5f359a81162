// Metrics that a plugin declares: recorded by its hooks, controllers and start hooks, and served beside the kernel's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineMetric, definePlugin, object } from "../../plugin.ts";
import { activeConfigOf, activeConfigOrMistakes } from "../../server/config/active-config.ts";
import { withDefaults } from "../../server/config/parse.ts";
import type { Plugin } from "../../plugin.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import { openServer } from "../../server/startup/open-server.ts";
import { openTestServer, type TestServerOptions } from "../../testing.ts";
import { textOf } from "../requests.ts";

const checked = defineMetric({
  name: "example_widgets_checked_total",
  type: "counter",
  help: "Widgets that were checked, by result.",
  labels: ["result"],
  stability: "ALPHA",
});
const lastRun = defineMetric({ name: "example_last_run", type: "gauge", help: "Runs.", labels: [], stability: "BETA" });
const seconds = defineMetric({
  name: "example_pass_duration_seconds",
  type: "histogram",
  help: "Time of a pass, in seconds.",
  labels: [],
  buckets: [0.1, 1],
  stability: "STABLE",
});

const widgets = definePlugin({
  name: "widgets",
  summary: "For tests.",
  metrics: [checked, lastRun, seconds],
  resources: [{
    kind: "Widget",
    scope: "Cluster",
    summary: "A widget.",
    storedAs: "example.com/v1",
    storedUnder: "widgets",
    served: { "example.com/v1": { schema: object("Widget", {}, { doc: "A widget." }), introduced: "1.0" } },
    create({ metadata }, { metric }) {
      metric(checked).with({ result: metadata.labels?.["result"] ?? "none" }).add();
      return [];
    },
  }],
  controllers: [{ name: "widgets", run: async ({ metric }) => metric(lastRun).with({}).set(1) }],
  startHooks: [{ name: "measure", run: async ({ metric }) => metric(seconds).with({}).observe(0.5) }],
});

/** A server with the plugin, a way to create widgets, and its metrics' lines. */
async function scene(settings: TestServerOptions["settings"] = {}) {
  const server = await openTestServer({ bare: true, plugins: [widgets], settings });
  return {
    create: (name: string, result: string, more: object = {}) =>
      server.api.create("example.com/v1", "widgets", "", { metadata: { name, labels: { result }, ...more } }),
    async lines() {
      const text = await textOf(server, "/metrics");
      return text.split("\n").filter((line) => line.includes("example_"));
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

test("metrics of a plugin are recorded by hooks, controllers and start hooks, and served with their class and help", async () => {
  await using server = await scene();
  await server.create("a", "ok");
  await server.create("b", "ok");
  // The start hook runs concurrently with requests.
  while (!(await server.lines()).includes("example_pass_duration_seconds_count 1")) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await server.lines(), [
    "# HELP example_last_run [BETA] Runs.",
    "# TYPE example_last_run gauge",
    "example_last_run 1",
    "# HELP example_pass_duration_seconds [STABLE] Time of a pass, in seconds.",
    "# TYPE example_pass_duration_seconds histogram",
    'example_pass_duration_seconds_bucket{le="0.1"} 0',
    'example_pass_duration_seconds_bucket{le="1"} 1',
    'example_pass_duration_seconds_bucket{le="+Inf"} 1',
    "example_pass_duration_seconds_sum 0.5",
    "example_pass_duration_seconds_count 1",
    "# HELP example_widgets_checked_total [ALPHA] Widgets that were checked, by result.",
    "# TYPE example_widgets_checked_total counter",
    'example_widgets_checked_total{result="ok"} 2',
  ]);
});

test("--disabled-metrics and --allow-metric-labels apply to the metrics of plugins", async () => {
  await using server = await scene({
    "disabled-metrics": ["example_last_run", "example_pass_duration_seconds"],
    "allow-metric-labels": { "example_widgets_checked_total,result": "ok" },
  });
  await server.create("a", "ok");
  await server.create("b", "odd");
  assert.deepEqual((await server.lines()).slice(2), [
    'example_widgets_checked_total{result="ok"} 1',
    'example_widgets_checked_total{result="unexpected"} 1',
  ]);
});

test("a metric with an existing name is a mistake of the plugin", () => {
  const plugin = (name: string, metric: string): Plugin =>
    definePlugin({ name, summary: "For tests.", metrics: [defineMetric({ ...checked, name: metric })] });
  const mistakes = (...plugins: readonly Plugin[]) => {
    const found: string[] = [];
    activeConfigOrMistakes(withDefaults({}), plugins, found);
    return found;
  };
  assert.deepEqual(mistakes(plugin("one", "apiserver_request_total")), [
    'plugin "one" cannot have the metric "apiserver_request_total": "apiserver_request_total" belongs to the kernel',
  ]);
  assert.deepEqual(mistakes(plugin("one", "apiserver_response_sizes_count")), [
    'plugin "one" cannot have the metric "apiserver_response_sizes_count": "apiserver_response_sizes_count" belongs to the kernel',
  ]);
  assert.deepEqual(mistakes(widgets, plugin("other", "example_last_run")), [
    'plugin "other" cannot have the metric "example_last_run": "example_last_run" belongs to plugin widgets',
  ]);
  assert.deepEqual(mistakes(widgets, plugin("other", "example_other_total")), []);
});

test("the labels of a recorder are those of its definition", () => {
  const wrong = ({ metric }: Parameters<NonNullable<NonNullable<Plugin["controllers"]>[number]["run"]>>[0]) => {
    // @ts-expect-error no such label
    metric(checked).with({ reslut: "ok" }).add();
    // @ts-expect-error a counter is not set
    metric(checked).with({ result: "ok" }).set(1);
  };
  assert.equal(typeof wrong, "function");
});

test("a swap of plugins serves the metrics of the new ones and keeps the values of those that stay", async () => {
  const config = withDefaults({ "data-dir": ":memory:" });
  const other = definePlugin({ name: "other", summary: "For tests.", metrics: [defineMetric({ ...lastRun, name: "example_other" })] });
  const opened = await openServer({ config, plugins: [widgets, other], log: silentLog });
  const names = async () => [...(await opened.registry.text()).matchAll(/^example_(?:other|widgets\S*) .*$/gm)].map(([line]) => line);
  opened.registry.metric(checked).with({ result: "ok" }).add();
  const swap = (...plugins: readonly Plugin[]) => opened.swap(activeConfigOf(config, plugins, opened.inForce()));
  assert.deepEqual(await names(), ["example_other 0", 'example_widgets_checked_total{result="ok"} 1']);
  swap(widgets);
  assert.deepEqual(await names(), ['example_widgets_checked_total{result="ok"} 1']);
  swap(other);
  assert.deepEqual(await names(), ["example_other 0"]);
  await opened.close();
});
