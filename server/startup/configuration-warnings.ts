/** What in a configuration starts and is probably not meant, for `thole check`. */
import type { Plugin } from "../../core/plugin.ts";
import { nearest } from "../../core/nearest.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { lineNames } from "../../metrics/mod.ts";
import { policyWarnings, type ServedResources } from "../../core/audit/policy-warnings.ts";
import type { ReadPolicy } from "../../core/audit/policy.ts";
import { type ActiveConfig, activeConfigOrMistakes } from "../config/active-config.ts";
import type { Fault, PlacedMistake } from "../../core/config/mistake.ts";
import { type Config, defaults, type SettingName } from "../config/settings.ts";
import { mistakesOfUnusedAudit, settingsWithoutEffect } from "../config/without-effect.ts";
import { kernelMetrics } from "../metrics/metrics.ts";
import { etcdPlaces, etcdServers, unknownOverrides, unknownOverrideText } from "../config/server-overrides.ts";
import { warningsOf } from "./describe-server.ts";
import { policyOf, strictWarnings } from "./open-audit.ts";
import { etcdUserWarnings, plainEtcdWarnings } from "./plain-etcd.ts";
import { fileWarnings, partWarnings } from "./part-checks.ts";
import type { Inspected } from "./read-configuration.ts";

/** The warnings of a start, and those about what has no effect. Of files that can be used: the others have mistakes. */
export async function configurationWarnings({ config, plugins, active, empty }: Inspected): Promise<readonly PlacedMistake[]> {
  const policy = await policyOf(config).catch(() => undefined); // A mistake.
  const servers = etcdServers(config);
  const silenced = config["suppress-deprecation-warnings"];
  return [
    ...empty.map((name) => about(name, `--${name} has no value in the file: its default applies`)),
    ...settingsWithoutEffect(config).map(({ setting, text }) => about(setting, text)),
    ...[
      ...mistakesOfUnusedAudit(config),
      ...(active === undefined || silenced ? [] : warningsOf(active)),
      ...partWarnings(config, plugins),
    ].map((text) => about(undefined, text)),
    ...[...plainEtcdWarnings(servers), ...etcdUserWarnings(servers)].map((text) => about("etcd-servers", text)),
    ...(active === undefined ? [] : unknownOverrides(etcdPlaces(config), active.catalog.stored)).map((each) =>
      about("etcd-servers-overrides", unknownOverrideText(each))
    ),
    ...metricWarnings(config, plugins),
    ...await fileWarnings(config, plugins),
    // Mistakes in other settings do not hide what a policy matches.
    ...(policy === undefined ? [] : auditWarnings(config, policy, active ?? activeConfigOrMistakes(defaults, plugins, []))),
  ];
}

function auditWarnings(config: Config, { policy, warnings }: ReadPolicy, active: ActiveConfig | undefined): readonly PlacedMistake[] {
  const more = active === undefined ? [] : policyWarnings(policy, servedBy(active), active.config["group-domain"]);
  return [
    ...inFile("audit-policy-file", config["audit-policy-file"], [...warnings, ...more]),
    ...strictWarnings(config, policy).map((text) => about(undefined, text)),
  ];
}

/** The resources of all served versions with their subresources. */
export function servedBy({ catalog }: Pick<ActiveConfig, "catalog">): ServedResources {
  return new Map(catalog.groups.map(({ name, versions }) => [
    name,
    new Set(
      versions.flatMap(({ endpoints }) => endpoints).flatMap(({ plural, subresources }) => [
        plural,
        ...[...subresources.keys()].map((each) => `${plural}/${each}`),
      ]),
    ),
  ]));
}

/** Names in --disabled-metrics that no metric has. */
function metricWarnings(config: Config, plugins: readonly Plugin[]): readonly PlacedMistake[] {
  const metrics = [...Object.values(kernelMetrics), ...plugins.flatMap((plugin) => plugin.metrics ?? [])];
  const names = new Set(metrics.flatMap((metric) => [metric.name, ...lineNames(metric)]));
  return config["disabled-metrics"].filter((each) => !names.has(each)).map((each) => {
    const near = nearest(each, names);
    return about(
      "disabled-metrics",
      `--disabled-metrics: there is no metric ${goQuote(each)}${near === undefined ? "" : `: did you mean ${goQuote(near)}?`}`,
    );
  });
}

function about(setting: string | undefined, text: string): PlacedMistake {
  return { text, ...(setting === undefined ? {} : { setting }), faults: [{ text }] };
}

/** One warning with all of a file. */
function inFile(setting: SettingName, file: string, faults: readonly Fault[]): readonly PlacedMistake[] {
  if (faults.length === 0) return [];
  return [file === "" ? { text: setting, setting, faults } : { text: setting, setting, file, faults }];
}
