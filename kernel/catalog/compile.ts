/** Compiles plugins and configuration to the catalog. A part that did not change is the same value in the old and in the new catalog. */
import { inOrder } from "../../core/admission/order.ts";
import { append } from "../../core/append.ts";
import { mediaOf } from "../../core/codec/negotiate.ts";
import { spell } from "../../core/names.ts";
import type { Admission, GateStage, Plugin, Resource } from "../../core/plugin.ts";
import { needMistakes } from "../../core/define/needs.ts";
import { pluralOf } from "../../core/define/plural.ts";
import { groupPriorities } from "../../core/define/group-priorities.ts";
import { compareVersions, splitGroupVersion, stageOfVersion } from "../../core/versions.ts";
import {
  type Catalog,
  type CatalogConfig,
  CatalogError,
  type CatalogGroup,
  type CatalogVersion,
  type Endpoint,
  type StoredKind,
} from "./catalog.ts";
import { endpointOf, kindOf, type Settings } from "./compile-kind.ts";
import { inertLadders } from "../../core/released/inert-gates.ts";
import { gateTable, kernelGateDependencies, ownGates } from "../../core/released/gates.ts";
import { compareReleases, type Release, serverReleases } from "../../core/releases.ts";
import { type Later, lifeOf, newerMistakes, versionsServed } from "./served-versions.ts";
import { nearest } from "../../core/nearest.ts";
import { removalText, removedVersion } from "../../core/released/removed.ts";

/**
 * Compiles the catalog of these plugins with this configuration. Throws a CatalogError with every mistake. `appeared` are the resources
 * that the plugins' resource sources have reported. One of them that clashes with another resource is left out.
 */
export function compile(plugins: readonly Plugin[], config: CatalogConfig, appeared: readonly Resource[] = []): Catalog {
  const mistakes: string[] = [...needMistakes(plugins)];
  const { names } = config;
  const dependencies = Object.assign({}, kernelGateDependencies, ...plugins.map(({ gateDependencies }) => gateDependencies ?? {}));
  const { releases = serverReleases } = config;
  const effective = laddersOf(plugins, mistakes);
  // A plugin may give an effect to a gate that has none here.
  const ladders = { ...inertLadders, ...effective };
  const inert = new Set(Object.keys(inertLadders).filter((gate) => !Object.hasOwn(effective, gate)));
  const gates = gateTable({ ladders, dependencies, inert, releases }, config.featureGates, mistakes);
  const settings = { names, isOn: gates.isOn, releases };
  const declared = plugins.flatMap(({ resources = [] }) => resources.map((resource) => kindOf(resource, settings)));
  const endpoints = endpointsOf(plugins, config, settings, mistakes);
  const unserved = new Map<string, Endpoint>();
  const unusable: Catalog["unusable"][number][] = [];
  const kinds = [...declared, ...addAppeared(endpoints, unserved, declared, appeared, settings, unusable)];
  if (mistakes.length > 0) throw new CatalogError(mistakes);

  const priorityOf = groupPriorities(plugins, names);
  const hasCbor = gates.isOn("CBORServingAndStorage");
  const groups = groupsOf([...endpoints.values()].filter(({ resource }) => resource.unlisted !== true), priorityOf, releases.emulated);
  const byPath = nestEndpoints(endpoints.values());
  const admission = inOrder(plugins.flatMap(({ admission = [] }) => admission));
  const forAll = admission.filter(({ resources }) => resources === "all");
  const forReviews = forAll.filter(({ includesReviews }) => includesReviews === true);
  const steps = stepsOf(admission, new Map(plugins.flatMap(({ resources = [] }) => resources.map((each) => [nameOf(each), each]))));
  const groupByName = new Map(groups.map((group) => [group.name, group]));
  return Object.freeze({
    names,
    media: mediaOf(names, hasCbor),
    earlyMedia: mediaOf(names, false),
    storedAs: hasCbor ? "cbor" as const : "json" as const,
    gates,
    releases,
    plugins,
    unusable,
    checksNamespaces: config.checksNamespaces ?? true,
    matchConstraints: config.matchConstraints ?? new Map(),
    configurations: config.configurations ?? new Map(),
    groups,
    kinds,
    stored: kinds.filter(({ resource }) => resource.storedUnder !== undefined),
    group: (name: string) => groupByName.get(name),
    version: (group: string, version: string) => groupByName.get(group)?.versions.find((each) => each.version === version),
    endpoint: (group: string, version: string, plural: string) => byPath.get(group)?.get(version)?.get(plural),
    unserved: (group: string, version: string, plural: string) => unserved.get(endpointKey(group, version, plural)),
    admission: (resource: Resource) => steps.get(resource) ?? (resource.storedUnder !== undefined ? forAll : forReviews),
    versionsOf: (kind: StoredKind) =>
      Object.entries(kind.resource.served).filter(([, served]) => lifeOf(served, releases.emulated) !== "gone").map(([written]) =>
        endpointOf(kind, written, settings)
      ),
  });
}

/** Returns the gates that have an effect: those of the kernel and those of plugins. Plugins may share the ladder of a gate. */
function laddersOf(plugins: readonly Plugin[], mistakes: string[]): Readonly<Record<string, readonly GateStage[]>> {
  const ladders: Record<string, readonly GateStage[]> = { ...ownGates };
  for (const { name, featureGates = {} } of plugins) {
    for (const [gate, ladder] of Object.entries(featureGates)) {
      if (Object.hasOwn(ladders, gate) && ladders[gate] !== ladder) {
        mistakes.push(`plugin "${name}": feature gate "${gate}" is declared twice`);
      }
      ladders[gate] = ladder;
    }
  }
  return ladders;
}

/** Returns the served endpoints, by `endpointKey`. */
function endpointsOf(
  plugins: readonly Plugin[],
  config: CatalogConfig,
  settings: Settings,
  mistakes: string[],
): Map<string, Endpoint> {
  const { names, releases: { emulated } } = settings;
  const endpoints = new Map<string, Endpoint>();
  const gone = new Map<string, string>();
  const later: Later[] = [];
  const known = new Set(["api/all", "api/ga", "api/beta", "api/alpha"]);
  for (const plugin of plugins) {
    for (const resource of plugin.resources ?? []) {
      const kind = kindOf(resource, settings);
      append(mistakes, kind.ruleMistakes.map((text) => `plugin "${plugin.name}": ${text}`));
      const servedVersions = versionsServed(resource, kind.plural, config, settings);
      for (const [written, served] of Object.entries(resource.served)) {
        const { group, version } = splitGroupVersion(spell(names, written));
        const name = group === "" ? version : `${group}/${version}`;
        if (lifeOf(served, emulated) === "gone") {
          // The definition says when this version was removed. No setting enables it.
          const { removed, replacement } = served;
          const use = replacement === undefined ? [] : [spell(names, replacement.groupVersion)];
          gone.set(`${name}/${kind.plural}`, removalText(`${name}/${kind.plural}`, removed!, use));
          if (!gone.has(name)) gone.set(name, removalText(name, removed!, use));
          continue;
        }
        known.add(name).add(`${name}/${kind.plural}`);
        if (lifeOf(served, emulated) === "later") append(later, [{ name, plural: kind.plural, introduced: served.introduced }]);
        if (served.hidden === true || (resource.custom !== true && !servedVersions.has(written))) continue;
        const key = endpointKey(group, version, kind.plural);
        if (endpoints.has(key)) mistakes.push(`plugin "${plugin.name}": ${kind.plural} in ${name} is defined twice`);
        endpoints.set(key, endpointOf(kind, written, settings));
      }
    }
  }
  if (config.allowsNewer !== true) append(mistakes, newerMistakes(later, endpoints, config.runtimeConfig, emulated));
  for (const key of config.runtimeConfig.keys()) {
    if (known.has(key)) continue;
    const removal = removedVersion(key, names) ?? gone.get(key);
    const near = nearest(key, known);
    mistakes.push(removal ?? `unknown group version "${key}" in --runtime-config${near === undefined ? "" : `: did you mean "${near}"?`}`);
  }
  return endpoints;
}

/**
 * Adds the endpoints of resources that have appeared, and returns their kinds. A resource is left out if it has the keys or paths of
 * another one, or if it cannot be compiled.
 */
function addAppeared(
  endpoints: Map<string, Endpoint>,
  unserved: Map<string, Endpoint>,
  declared: readonly StoredKind[],
  appeared: readonly Resource[],
  settings: Settings,
  unusable: Catalog["unusable"][number][],
): readonly StoredKind[] {
  const declaredPlaces: ReadonlySet<string> = new Set(declared.map(({ under }) => under)), places = new Set(declaredPlaces);
  return appeared.flatMap((resource) => {
    try {
      const kind = kindOf(resource, settings);
      const own = Object.entries(resource.served).map(([written, { hidden }]) => {
        const { group, version } = splitGroupVersion(spell(settings.names, written));
        const into = hidden === true ? unserved : endpoints;
        return { key: endpointKey(group, version, kind.plural), into, endpoint: endpointOf(kind, written, settings) };
      });
      const isTaken = places.has(kind.under) || declaredPlaces.has(resource.conversion?.under ?? kind.under) ||
        own.some(({ key }) => endpoints.has(key));
      if (isTaken) return [];
      places.add(kind.under);
      for (const { key, into, endpoint } of own) into.set(key, endpoint);
      return [kind];
    } catch (error) {
      unusable.push({ resource, error }); // the error concerns this resource only; the others go on
      return [];
    }
  });
}

function endpointKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

/** Arranges endpoints by group, version and plural, so that requests find theirs without building a key. */
function nestEndpoints(endpoints: Iterable<Endpoint>): ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, Endpoint>>> {
  const groups = new Map<string, Map<string, Map<string, Endpoint>>>();
  for (const endpoint of endpoints) {
    const versions = groups.get(endpoint.group) ?? new Map<string, Map<string, Endpoint>>();
    groups.set(endpoint.group, versions);
    const plurals = versions.get(endpoint.version) ?? new Map<string, Endpoint>();
    versions.set(endpoint.version, plurals.set(endpoint.plural, endpoint));
  }
  return groups;
}

const versions = new WeakMap<Endpoint, CatalogVersion>();

/**
 * Makes the version of a group with these endpoints. For the same endpoints it returns the same value as before, so that its documents
 * outlive a catalog.
 */
function versionOf(group: string, version: string, members: readonly Endpoint[]): CatalogVersion {
  const endpoints = members.toSorted((a, b) => a.plural < b.plural ? -1 : 1), first = endpoints[0]!;
  const known = versions.get(first);
  if (known?.endpoints.length === endpoints.length && known.endpoints.every((each, at) => each === endpoints[at])) return known;
  const made: CatalogVersion = { group, version, apiVersion: first.apiVersion, endpoints };
  versions.set(first, made);
  return made;
}

/**
 * Puts the preferred version first. A version that the previous release did not have is not preferred if that release had another one:
 * clients may be rolled back to it.
 */
function preferredFirst(versions: readonly CatalogVersion[], emulated: Release): readonly CatalogVersion[] {
  const isNew = ({ endpoints }: CatalogVersion) => endpoints.every(({ served }) => compareReleases(served.introduced, emulated) >= 0);
  const preferred = versions.find((each) => !isNew(each) && stageOfVersion(each.version) !== "Alpha");
  return preferred === undefined ? versions : [preferred, ...versions.filter((each) => each !== preferred)];
}

function groupsOf(
  endpoints: readonly Endpoint[],
  priorityOf: (group: string) => number,
  emulated: Release,
): readonly CatalogGroup[] {
  const byGroup = Map.groupBy(endpoints, (endpoint) => endpoint.group);
  const groups = [...byGroup].map(([name, members]): CatalogGroup => {
    const byVersion = Map.groupBy(members, (endpoint) => endpoint.version);
    const versions = [...byVersion].map(([version, some]) => versionOf(name, version, some));
    return { name, versions: preferredFirst(versions.toSorted((a, b) => compareVersions(a.version, b.version)), emulated) };
  });
  return groups.toSorted((a, b) => priorityOf(b.name) - priorityOf(a.name) || (a.name < b.name ? -1 : 1));
}

/** The name of a resource in the steps of other plugins: `pods`, `priorityclasses.scheduling.{domain}`. */
function nameOf({ plural, kind, storedAs }: Resource): string {
  const { group } = splitGroupVersion(storedAs), name = plural ?? pluralOf(kind);
  return group === "" ? name : `${name}.${group}`;
}

/** The steps of each resource that a step names, with those for all. */
function stepsOf(admission: readonly Admission[], byName: ReadonlyMap<string, Resource>): Map<Resource, Admission[]> {
  const resourcesOf = ({ resources }: Admission) =>
    resources === "all" ? [] : resources.flatMap((each) => typeof each === "string" ? byName.get(each) ?? [] : [each]);
  const named = new Set(admission.flatMap(resourcesOf));
  return new Map(
    [...named].map((resource) => [resource, admission.filter((step) => step.resources === "all" || resourcesOf(step).includes(resource))]),
  );
}
