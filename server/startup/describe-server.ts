/** Metrics and log lines that describe the running version, its feature gates and deprecated settings. */
import { type Releases, serverRelease } from "../../core/releases.ts";
import { givenSettings } from "../config/parse.ts";
import { type Going, settings, settingWarnings } from "../config/settings.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import type { buildInfo } from "./version.ts";

/** The rows of the settings with their help. */
type Table = Readonly<Record<string, Going & { readonly help: string }>>;

/** Logs warnings now and after each swap of the configuration, and records gates before a scrape: they have more than 400 series. */
export function describeConfig(
  inForce: Pick<ConfigInForce, "current" | "onSwap">,
  registry: KernelRegistry,
  log: Pick<Log, "info">,
  table: Table = settings,
): void {
  const describe = (next: ActiveConfig, before?: ActiveConfig) => logWarnings(log, table, next, before);
  let described: Catalog | undefined;
  registry.beforeScrape(() => {
    const { catalog } = inForce.current();
    if (catalog !== described) describeGates(registry, catalog);
    described = catalog;
  });
  describe(inForce.current());
  inForce.onSwap(describe);
}

/** Records the enabled gates; gates of removed plugins are removed from the metric. */
function describeGates({ record }: KernelRegistry, { gates }: Catalog): void {
  record.featureEnabled.reset();
  for (const { name, stage, on } of gates.states) {
    record.featureEnabled.with({ name, stage: stage === "GA" ? "" : stage.toUpperCase() }).set(on ? 1 : 0);
  }
}

export function describeBuild({ record }: KernelRegistry, version: ReturnType<typeof buildInfo>): void {
  record.buildInfo.with({
    build_date: version.buildDate,
    compiler: version.compiler,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    git_version: version.gitVersion,
    go_version: version.goVersion,
    major: version.major,
    minor: version.minor,
    platform: version.platform,
  }).set(1);
}

export function describeReleases({ record }: KernelRegistry, { emulated, minCompatibility }: Releases): void {
  record.versionInfo.with({ binary: serverRelease, component: "kube", emulation: emulated, min_compat: minCompatibility }).set(1);
}

/** Logs the deprecated settings and gates that `before` did not have; nothing with --suppress-deprecation-warnings. */
function logWarnings(log: Pick<Log, "info">, table: Table, { config, catalog }: ActiveConfig, before?: ActiveConfig): void {
  if (config["suppress-deprecation-warnings"]) return;
  const known = before === undefined || before.config["suppress-deprecation-warnings"] ? [] : warningsOf(before, table);
  for (const text of warningsOf({ config, catalog }, table).filter((each) => !known.includes(each))) log.info(`Warning: ${text}`);
}
/** A deprecated setting is in use when it is given, even with the value of its default. */
export function warningsOf({ config, catalog }: Pick<ActiveConfig, "config" | "catalog">, table: Table = settings): readonly string[] {
  return [...settingWarnings(givenSettings(config), table), ...catalog.gates.warnings];
}
