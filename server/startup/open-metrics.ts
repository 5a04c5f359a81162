/** The registry of a server, by its settings. */
import { reasonOf } from "../../core/reason-of.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { TreeObject } from "../../core/tree/tree.ts";
import { type AllowedLabels, allowedLabelsMistake, createRegistry, hiddenVersionMistake, parseAllowedLabels } from "../../metrics/mod.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { ConfigError } from "../config/parse.ts";
import type { Config } from "../config/settings.ts";
import type { Release } from "../../core/releases.ts";
import { type EmulationConfig, releasesOf } from "../config/emulation-settings.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { kernelMetrics, type KernelRegistry } from "../metrics/metrics.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { readWholeSync } from "../../protocols/files/bounded-files.ts";
import { valueText } from "../../core/value-text.ts";

type MetricSettings = Pick<
  Config,
  "show-hidden-metrics-for-version" | "disabled-metrics" | "allow-metric-labels" | "allow-metric-labels-manifest" | keyof EmulationConfig
>;

/** Mistakes in the settings of metrics. */
export function metricMistakes(config: MetricSettings): readonly string[] {
  try {
    openMetrics(config, { info() {} });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

/** Throws a ConfigError for invalid settings. `release` decides whether a deprecated metric is shown, hidden or removed: the emulated one. */
export function openMetrics(
  config: MetricSettings,
  log: Pick<Log, "info">,
  release: Release = releasesOf(config).emulated,
): KernelRegistry {
  const mistakes: string[] = [];
  const shown = hiddenVersionMistake(config["show-hidden-metrics-for-version"], release);
  if (shown !== undefined) mistakes.push(shown);
  const disabled = config["disabled-metrics"];
  for (const name of disabled.filter((each) => !metricName.test(each))) {
    mistakes.push(
      `--disabled-metrics must be fully qualified metric names matching ${valueText(metricName.source)}, got ${valueText(name)}`,
    );
  }
  const allowedLabels = allowedLabelsOf(config, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const unexpected = () => registry.record.unexpectedValues.with({}).add();
  const registry: KernelRegistry = createRegistry(kernelMetrics, {
    release,
    showHidden: config["show-hidden-metrics-for-version"] !== "",
    disabled,
    allowedLabels,
    overflowed: unexpected,
    refused: unexpected,
    deprecatedUsed: ({ name, deprecatedSince }) =>
      log.info("a deprecated metric is recorded; replace it in dashboards and alerts before it is hidden", {
        metric: name,
        deprecatedSince,
      }),
  });
  countMetrics(registry, registry.standing);
  registry.record.disabledMetrics.with({}).add(disabled.length);
  return registry;
}

/** Serves the metrics of the active plugins, now and after each swap of the configuration. */
export function servePluginMetrics(inForce: ConfigInForce, registry: KernelRegistry): void {
  const adopt = ({ catalog: { plugins } }: ActiveConfig) => {
    const known = new Set(registry.standing.map(({ definition }) => definition.name));
    registry.adopt(plugins.flatMap(({ metrics = [] }) => metrics));
    countMetrics(registry, registry.standing.filter(({ definition }) => !known.has(definition.name)));
  };
  adopt(inForce.current());
  inForce.onSwap((next, before) => {
    if (next.catalog !== before.catalog) adopt(next);
  });
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

function countMetrics({ record }: KernelRegistry, standing: KernelRegistry["standing"]): void {
  for (const { definition: { stability, deprecatedSince = "" }, state } of standing) {
    if (state === "hidden") record.hiddenMetrics.with({}).add();
    if (state === "shown" || state === "deprecated") {
      record.registeredMetrics.with({ deprecated_version: deprecatedSince, stability_level: stability }).add();
    }
  }
}

/** The flag, or else the file: as upstream, never both. */
function allowedLabelsOf(config: MetricSettings, mistakes: string[]): AllowedLabels {
  const flag = config["allow-metric-labels"], path = config["allow-metric-labels-manifest"];
  const pairs = flag.size > 0 || path === "" ? flag : pairsOfFile(path, mistakes);
  const labels = parseAllowedLabels(pairs);
  if (labels === undefined) mistakes.push(allowedLabelsMistake);
  return labels ?? new Map();
}

function pairsOfFile(path: string, mistakes: string[]): readonly (readonly [string, string])[] {
  const bad = (why: string) => {
    mistakes.push(`flag "--allow-metric-labels-manifest": the file "${path}" ${why}`);
    return [];
  };
  let bytes: Uint8Array;
  try {
    bytes = readWholeSync(path);
  } catch (error) {
    return bad(`cannot be read: ${reasonOf(error)}`);
  }
  const read = readYaml(bytes);
  if (!read.ok) return bad(`is not YAML: ${read.error}`);
  const { tree } = read;
  if (!(tree instanceof TreeObject)) return bad('must hold pairs such as "metric,label": "value,value"');
  return tree.keys.map((key, index) => [key, String(tree.values[index])]);
}
