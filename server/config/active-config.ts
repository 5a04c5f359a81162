/** The active configuration: settings and plugins compiled to a catalog. A server replaces it as a whole. */
import { append } from "../../core/append.ts";
import type { Plugin, Resource, ResourceSource } from "../../core/plugin.ts";
import { lineNames } from "../../metrics/mod.ts";
import { kernelMetrics } from "../metrics/metrics.ts";
import { type AdmissionConfiguration, readAdmissionConfiguration } from "./admission-configuration.ts";
import { authorizationMistakes } from "./configured-authorizers.ts";
import { chosenAdmission, missingConfigurations } from "./choose-admission.ts";
import { chosenControllers } from "./choose-controllers.ts";
import { type Catalog, CatalogError } from "../../kernel/catalog/catalog.ts";
import { compile } from "../../kernel/catalog/compile.ts";
import { releasesOf } from "./emulation-settings.ts";
import type { Mistake } from "../../core/config/mistake.ts";
import { ConfigError } from "./parse.ts";
import { namesOf, settingClashes, valueMistakes } from "./plugin-settings.ts";
import type { Config } from "./settings.ts";
import { webhookAddressMistakes } from "./webhook-addresses.ts";
import { valueText } from "../../core/value-text.ts";

export interface ActiveConfig {
  readonly config: Config;
  /** The selected plugins, with all their admission steps. */
  readonly plugins: readonly Plugin[];
  /** The latest descriptions of the plugins' resource sources. */
  readonly appeared: Appeared;
  /** The settings of admission steps, read at the start. */
  readonly admission: AdmissionConfiguration;
  readonly catalog: Catalog;
  /** Descriptions whose resources cannot be served; the others are. */
  readonly unusable: readonly Unusable[];
}

/** A description of a resource source that fails. `name`: its own, such as that of a definition. */
export interface Unusable {
  readonly name: string;
  readonly error: unknown;
}

/** Descriptions of resources, by the names of the plugins whose sources gave them. */
export type Appeared = ReadonlyMap<string, readonly unknown[]>;
const nothingAppeared: Appeared = new Map();

/**
 * The active configuration of settings and plugins. Throws a ConfigError or CatalogError with every mistake. The catalog is that of
 * `before` if nothing has changed that affects it.
 */
export function activeConfigOf(
  config: Config,
  plugins: readonly Plugin[],
  before?: ActiveConfig,
  appeared: Appeared = before?.appeared ?? nothingAppeared,
  admission = before?.admission,
): ActiveConfig {
  const isSame = before !== undefined && hasSameAppeared(appeared, before.appeared) && hasSameCatalog(config, plugins, before);
  const mistakes: Mistake[] = [
    ...valueMistakes(config, plugins),
    ...webhookAddressMistakes(config["webhook-addresses"]),
    ...authorizationMistakes(config, plugins.flatMap(({ authorizers = [] }) => authorizers.map(({ name }) => name))),
  ];
  let compiled: Compiled | undefined;
  try {
    compiled = isSame ? before : knownCatalogOf(config, plugins, appeared, admission);
    if (config["requestheader-uid-headers"].length > 0 && !compiled.catalog.gates.isOn("RemoteRequestHeaderUID")) {
      mistakes.push('--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled');
    }
  } catch (error) {
    if (mistakes.length === 0 || !isMistaken(error)) throw error;
    append(mistakes, placedOf(error));
  }
  if (compiled === undefined || mistakes.length > 0) throw new ConfigError(mistakes);
  const { catalog, admission: steps, unusable } = compiled;
  return { config, plugins, appeared, admission: steps, catalog, unusable };
}

type Compiled = Pick<ActiveConfig, "catalog" | "admission" | "unusable">;

/** Whether an error is about settings and plugins. */
export function isMistaken(error: unknown): error is ConfigError | CatalogError {
  return error instanceof ConfigError || error instanceof CatalogError;
}

/** The mistakes of such an error, with their places. */
export function placedOf(error: ConfigError | CatalogError): readonly Mistake[] {
  return error instanceof ConfigError ? error.placed : error.mistakes;
}

/** The configuration with other descriptions of one plugin's resource source. */
export function withAppeared(active: ActiveConfig, plugin: string, descriptions: readonly unknown[]): ActiveConfig {
  return activeConfigOf(active.config, active.plugins, active, new Map([...active.appeared, [plugin, descriptions]]));
}

/** Whether two configurations are equal apart from the resources that have appeared. */
export function differInAppearedOnly(
  one: Pick<ActiveConfig, "config" | "plugins">,
  other: Pick<ActiveConfig, "config" | "plugins">,
): boolean {
  return one.config === other.config && one.plugins === other.plugins;
}

/** The settings that the catalog depends on, except for the file of admission. */
const catalogSettings = [
  "enable-admission-plugins",
  "disable-admission-plugins",
  "controllers",
  "feature-gates",
  "runtime-config",
  "group-domain",
  "platform-name",
  "emulated-version",
  "min-compatibility-version",
  "emulation-forward-compatible",
  "runtime-config-emulation-forward-compatible",
] as const;

/** The last catalog without appeared resources of the servers whose first plugin is the key: servers of tests have the same one. */
const lastCatalogs = new WeakMap<Plugin, { readonly config: Config; readonly plugins: readonly Plugin[]; readonly compiled: Compiled }>();

/** As `catalogOf`. An equal configuration of another server in the process has the same catalog, which is immutable. */
function knownCatalogOf(...[config, plugins, appeared, known]: Parameters<typeof catalogOf>): Compiled {
  const [first] = plugins;
  const isShared = config["admission-control-config-file"] === "" && known === undefined && hasSameAppeared(appeared, nothingAppeared);
  if (first === undefined || !isShared) return catalogOf(config, plugins, appeared, known);
  const last = lastCatalogs.get(first);
  if (last !== undefined && hasSameCatalog(config, plugins, last)) return last.compiled;
  const compiled = catalogOf(config, plugins, appeared, known);
  lastCatalogs.set(first, { config, plugins, compiled });
  return compiled;
}

/** Throws the mistakes of admission and of the catalog together. */
function catalogOf(
  config: Config,
  plugins: readonly Plugin[],
  appeared: Appeared,
  known: AdmissionConfiguration | undefined,
): Compiled {
  const wrong: string[] = [...metricClashes(plugins), ...settingClashes(plugins)];
  const names = { enabled: config["enable-admission-plugins"], disabled: config["disable-admission-plugins"] };
  const chosen = chosenAdmission(plugins, names, wrong), { plugins: admitting, checksNamespaces } = chosen;
  const controlled = chosenControllers(admitting, config["controllers"], wrong);
  const mistakes: Mistake[] = wrong;
  const path = config["admission-control-config-file"], steps = plugins.flatMap(({ admission = [] }) => admission);
  const admission = known ?? readAdmissionConfiguration({ path, steps, groupDomain: config["group-domain"] }, mistakes);
  if (mistakes.length === 0) append(mistakes, missingConfigurations(chosen, admission.configurations));
  const options = {
    matchConstraints: admission.matchConstraints,
    configurations: admission.configurations,
    names: namesOf(config),
    featureGates: config["feature-gates"],
    runtimeConfig: config["runtime-config"],
    releases: releasesOf(config),
    isForwardCompatible: config["emulation-forward-compatible"],
    allowsNewer: config["runtime-config-emulation-forward-compatible"],
    checksNamespaces,
  };
  try {
    const made = madeOf(plugins, appeared);
    const catalog = compile(controlled, options, made.resources);
    const unusable = [
      ...made.unusable,
      ...catalog.unusable.map(({ resource, error }) => ({ name: made.names.get(resource) ?? resource.kind, error })),
    ];
    if (mistakes.length === 0) return { catalog, admission, unusable };
  } catch (error) {
    if (mistakes.length === 0 || !(error instanceof CatalogError)) throw error;
    append(mistakes, error.mistakes);
  }
  throw new ConfigError(mistakes);
}

/** The resources of a description, or the error that it has thrown. The keys are objects that only sources make. */
const kept = new WeakMap<object, { readonly resources: readonly Resource[]; readonly error?: unknown }>();

function resourcesOf({ resources }: ResourceSource, description: object) {
  const known = kept.get(description);
  if (known !== undefined) return known;
  let made;
  try {
    made = { resources: resources(description) };
  } catch (error) {
    made = { resources: [], error }; // its own fault: the other descriptions go on
  }
  kept.set(description, made);
  return made;
}

/** The resources of all descriptions, with the names of these, and the descriptions that have none because of an error. */
function madeOf(plugins: readonly Plugin[], appeared: Appeared) {
  const resources: Resource[] = [], names = new Map<Resource, string>(), unusable: Unusable[] = [];
  for (const { name: plugin, resourceSource } of plugins) {
    for (const description of resourceSource === undefined ? [] : appeared.get(plugin) ?? []) {
      const one = description as { readonly name?: unknown }; // descriptions are objects
      const name = typeof one.name === "string" ? one.name : `a resource of plugin ${plugin}`;
      const made = resourcesOf(resourceSource!, one); // the plugin has one
      if ("error" in made) unusable.push({ name, error: made.error });
      for (const resource of made.resources) {
        resources.push(resource);
        names.set(resource, name);
      }
    }
  }
  return { resources, names, unusable };
}

/** Metrics of plugins with the name of a kernel metric or of an earlier plugin's metric. */
function metricClashes(plugins: readonly Plugin[]): readonly string[] {
  const owners = new Map(kernelLineNames);
  return plugins.flatMap(({ name: plugin, metrics = [] }) =>
    metrics.flatMap((metric) => {
      const names = lineNames(metric), taken = names.find((name) => owners.has(name)), owner = taken === undefined ? "" : owners.get(taken);
      for (const name of names) owners.set(name, owners.get(name) ?? `plugin ${plugin}`);
      return taken === undefined ? [] : [`plugin "${plugin}" cannot have the metric "${metric.name}": "${taken}" belongs to ${owner}`];
    })
  );
}
const kernelLineNames: readonly (readonly [name: string, owner: string])[] = Object.values(kernelMetrics).flatMap((metric) =>
  lineNames(metric).map((name) => [name, "the kernel"] as const)
);

/** The active configuration, or undefined after adding every mistake in these settings and plugins to `mistakes`. */
export function activeConfigOrMistakes(config: Config, plugins: readonly Plugin[], mistakes: Mistake[]): ActiveConfig | undefined {
  try {
    return activeConfigOf(config, plugins);
  } catch (error) {
    if (!isMistaken(error)) throw error;
    append(mistakes, placedOf(error));
    return undefined;
  }
}

function hasSameCatalog(config: Config, plugins: readonly Plugin[], before: Pick<ActiveConfig, "config" | "plugins">): boolean {
  return plugins.length === before.plugins.length && plugins.every((plugin, index) => plugin === before.plugins[index]) &&
    (config === before.config || catalogSettings.every((name) => isSameValue(config[name], before.config[name])));
}

/**
 * A source without descriptions has the catalog of one that has not looked yet: most starts find none. Descriptions are not compared: the state in
 * one changes in place, and the heavy thread learns of it only by a new catalog.
 */
function hasSameAppeared(one: Appeared, other: Appeared): boolean {
  return one === other || [...one.values(), ...other.values()].every(({ length }) => length === 0);
}

/** Whether two values of a setting are equal; the order of a map's entries does not matter, that of a list does. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}
function textOf(value: unknown): string {
  return valueText(value instanceof Map ? [...value].toSorted(([a], [b]) => a < b ? -1 : 1) : value);
}
