/**
 * The catalog: everything that is served, compiled from plugins and configuration. It is an immutable value; the
 * server holds the one in force and swaps it whole. Requests finish on the one that they began with.
 */
import { pluralOf } from "../core/define.ts";
import { decoder, type DecodeReport, decodeStored } from "../core/derive/decode.ts";
import { encoder } from "../core/derive/encode.ts";
import { filler } from "../core/derive/fill.ts";
import { type Names, spell } from "../core/names.ts";
import type { ApiObject, GateStage, GroupVersion, Plugin, Resource, Served, Subresource } from "../core/plugin.ts";
import type { StructNode, Typed } from "../core/schema.ts";
import { type Tree, TreeObject } from "../core/tree/tree.ts";
import { compareReleases, type GateTable, gateTable, kernelGates, targetRelease } from "./gates.ts";
import { nearest } from "./nearest.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";
const allVerbs: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** A resource in its one stored form: what the store holds and hooks see. Shared by every version that shows it. */
export interface StoredKind {
  readonly resource: Resource;
  /** `apiVersion` of the stored form. */
  readonly apiVersion: string;
  readonly group: string;
  /** Plural resource name, for messages and metrics. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Key segments below the store's prefix, without slashes at either end; empty for a kind that is never stored. */
  readonly under: string;
  readonly schema: StructNode;
  /** Compact JSON without a final newline. */
  readonly encode: (object: ApiObject) => string;
  /** As `decode` of what is stored: unknown and duplicate fields pass in silence. */
  readonly decodeStored: (tree: Tree) => ApiObject;
  readonly fill: (object: ApiObject) => ApiObject;
}

/** One resource in one version, with everything that is derived from its definition. */
export interface Endpoint {
  readonly group: string;
  readonly version: string;
  /** `version` or `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly resource: Resource;
  readonly served: Served;
  readonly stored: StoredKind;
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly schema: StructNode;
  readonly encode: (object: ApiObject) => string;
  readonly decode: (tree: Tree, report: DecodeReport) => ApiObject;
  readonly fill: (object: ApiObject) => ApiObject;
  /** A filled object of this version to the stored form, and back. Identity where the forms are one. */
  readonly toStored: (object: ApiObject) => ApiObject;
  readonly fromStored: (object: ApiObject) => ApiObject;
  /** Text of the Warning header for a deprecated version, or undefined. */
  readonly deprecation: { readonly warning: string; readonly removedRelease: string } | undefined;
}

export interface CatalogVersion {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  /** In the order of plural names. */
  readonly endpoints: readonly Endpoint[];
}
export interface CatalogGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly CatalogVersion[];
}
export interface Catalog {
  readonly names: Names;
  readonly gates: GateTable;
  readonly plugins: readonly Plugin[];
  /** In discovery's order; the core group, where served, first. */
  readonly groups: readonly CatalogGroup[];
  /** Every kind, in its one form. */
  readonly kinds: readonly StoredKind[];
  /** Those of them that the store holds. */
  readonly stored: readonly StoredKind[];
  group(name: string): CatalogGroup | undefined;
  version(group: string, version: string): CatalogVersion | undefined;
  endpoint(group: string, version: string, plural: string): Endpoint | undefined;
}

export interface CatalogConfig {
  readonly names: Names;
  readonly featureGates: ReadonlyMap<string, boolean>;
  /** `--runtime-config`: `group/version`, `group/version/resource` or `api/all|ga|beta|alpha` to on or off, in order. */
  readonly runtimeConfig: ReadonlyMap<string, boolean>;
}

/** Everything that is wrong with plugins and configuration together; the start stops and lists it. */
export class CatalogError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "CatalogError";
    this.mistakes = mistakes;
  }
}

/** `v1` to the core group, else `group/version`. */
export function splitGroupVersion(groupVersion: GroupVersion): { group: string; version: string } {
  const slash = groupVersion.lastIndexOf("/");
  return slash < 0 ? { group: "", version: groupVersion } : { group: groupVersion.slice(0, slash), version: groupVersion.slice(slash + 1) };
}

/** Kubernetes' order of versions: GA before beta before alpha, higher numbers first. Negative when `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const x = versionRank(a), y = versionRank(b);
  return y[0]! - x[0]! || y[1]! - x[1]! || y[2]! - x[2]! || (a < b ? -1 : a > b ? 1 : 0);
}
function versionRank(version: string): readonly number[] {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const stage = match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}

function stabilityOf(version: string): "ga" | "beta" | "alpha" {
  return version.includes("alpha") ? "alpha" : version.includes("beta") ? "beta" : "ga";
}

/** GA versions are served by default, beta (since 1.24) and alpha are not; the most precise word of the operator counts. */
function isServed(group: string, version: string, plural: string, served: Served, config: CatalogConfig): boolean {
  const name = group === "" ? version : `${group}/${version}`;
  const stability = stabilityOf(version);
  const asked = config.runtimeConfig;
  const since = served.removed === undefined ? 1 : compareReleases(served.removed, targetRelease);
  // Of a version that is long gone only the name is known: a body that calls itself so is told what is expected instead.
  if (since < 0) return false;
  // One that the target release has removed is served only where it is named, never by `api/...`.
  const removed = since === 0;
  return asked.get(`${name}/${plural}`) ?? asked.get(name) ??
    (removed ? false : asked.get(`api/${stability}`) ?? asked.get("api/all") ?? stability === "ga");
}

/** The catalog of these plugins under this configuration; every mistake in one CatalogError. */
export function compile(plugins: readonly Plugin[], config: CatalogConfig): Catalog {
  const mistakes: string[] = [];
  const { names } = config;
  const ladders: Record<string, readonly GateStage[]> = { ...kernelGates };
  for (const plugin of plugins) {
    for (const [gate, ladder] of Object.entries(plugin.featureGates ?? {})) {
      if (Object.hasOwn(ladders, gate)) mistakes.push(`plugin "${plugin.name}": feature gate "${gate}" is declared twice`);
      ladders[gate] = ladder;
    }
  }
  const gates = gateTable(ladders, config.featureGates, mistakes);

  const priorities = new Map<string, number>();
  const kinds: StoredKind[] = [];
  const endpoints = new Map<string, Endpoint>();
  const known = new Set(["api/all", "api/ga", "api/beta", "api/alpha"]);
  for (const plugin of plugins) {
    for (const [group, priority] of Object.entries(plugin.groupPriorities ?? {})) priorities.set(spell(names, group), priority);
    for (const resource of plugin.resources ?? []) {
      const kind = compileStored(resource, names);
      kinds.push(kind);
      for (const [written, served] of Object.entries(resource.served)) {
        const { group, version } = splitGroupVersion(spell(names, written));
        const name = group === "" ? version : `${group}/${version}`;
        known.add(name).add(`${name}/${kind.plural}`);
        if (!isServed(group, version, kind.plural, served, config)) continue;
        const key = endpointKey(group, version, kind.plural);
        if (endpoints.has(key)) mistakes.push(`plugin "${plugin.name}": ${kind.plural} in ${name} is defined twice`);
        endpoints.set(key, compileEndpoint(kind, group, version, served, names));
      }
    }
  }
  for (const key of config.runtimeConfig.keys()) {
    if (known.has(key)) continue;
    const near = nearest(key, known);
    mistakes.push(`unknown group version "${key}" in --runtime-config${near === undefined ? "" : `: did you mean "${near}"?`}`);
  }
  if (mistakes.length > 0) throw new CatalogError(mistakes);

  const groups = groupsOf([...endpoints.values()], priorities);
  const groupByName = new Map(groups.map((group) => [group.name, group]));
  return Object.freeze({
    names,
    gates,
    plugins,
    groups,
    kinds,
    stored: kinds.filter(({ resource }) => resource.answer === undefined),
    group: (name: string) => groupByName.get(name),
    version: (group: string, version: string) => groupByName.get(group)?.versions.find((each) => each.version === version),
    endpoint: (group: string, version: string, plural: string) => endpoints.get(endpointKey(group, version, plural)),
  });
}

function endpointKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

function groupsOf(endpoints: readonly Endpoint[], priorities: ReadonlyMap<string, number>): readonly CatalogGroup[] {
  const byGroup = Map.groupBy(endpoints, (endpoint) => endpoint.group);
  const groups = [...byGroup].map(([name, members]): CatalogGroup => {
    const byVersion = Map.groupBy(members, (endpoint) => endpoint.version);
    const versions = [...byVersion].map(([version, some]): CatalogVersion => ({
      group: name,
      version,
      apiVersion: some[0]!.apiVersion,
      endpoints: some.toSorted((a, b) => a.plural < b.plural ? -1 : 1),
    }));
    return { name, versions: versions.toSorted((a, b) => compareVersions(a.version, b.version)) };
  });
  const rank = (group: CatalogGroup) => priorities.get(group.name) ?? (group.name === "" ? 18000 : 1000);
  return groups.toSorted((a, b) => rank(b) - rank(a) || (a.name < b.name ? -1 : 1));
}

function compileStored(resource: Resource, names: Names): StoredKind {
  const apiVersion = spell(names, resource.storedAs);
  const { schema } = resource.served[resource.storedAs]!;
  return Object.freeze({
    resource,
    apiVersion,
    group: splitGroupVersion(apiVersion).group,
    plural: resource.plural ?? pluralOf(resource.kind),
    namespaced: resource.scope === "Namespaced",
    under: resource.storedUnder ?? "",
    schema,
    ...codecOf(resource.served[resource.storedAs]!, names),
    decodeStored: storedDecoder(schema),
  });
}

/** Folds are compiled when they are first used, so that a thousand kinds cost nothing until somebody asks. */
function lazily<R>(make: () => R): () => R {
  const made: { value?: R } = {};
  return () => made.value ??= make();
}

function codecOf({ schema, fill: more }: Served, names: Names): Pick<Endpoint, "encode" | "decode" | "fill"> {
  // The folds of a kind's schema take and give objects of that kind.
  const typed = schema as Typed<ApiObject, StructNode>;
  const encode = lazily(() => encoder(typed)), decode = lazily(() => decoder(typed)), fill = lazily(() => filler(typed));
  return {
    encode: (object) => encode()(object),
    decode: (tree, report) => withClearedOwners(tree, decode()(tree, report)),
    fill: more === undefined ? (object) => fill()(object) : (object) => more(fill()(object), names),
  };
}

/** An empty list of entries, which decoding leaves out like any other, says that all are to be cleared. */
function withClearedOwners(tree: Tree, object: ApiObject): ApiObject {
  const metadata = tree instanceof TreeObject ? tree.get("metadata") : undefined;
  const entries = metadata instanceof TreeObject ? metadata.get("managedFields") : undefined;
  return Array.isArray(entries) && entries.length === 0 ? { ...object, metadata: { ...object.metadata, managedFields: [] } } : object;
}

function storedDecoder(schema: StructNode): StoredKind["decodeStored"] {
  const decode = lazily(() => decodeStored(schema as Typed<ApiObject, StructNode>));
  return (tree) => decode()(tree);
}

function compileEndpoint(kind: StoredKind, group: string, version: string, served: Served, names: Names): Endpoint {
  const { resource } = kind;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const left = new Set<string>(resource.strategy?.without ?? []);
  const codec = codecOf(served, names);
  const toStored = served.convert?.toStored ?? ((object: ApiObject) => object);
  const fromStored = served.convert?.fromStored ?? ((object: ApiObject) => object);
  return Object.freeze({
    group,
    version,
    apiVersion,
    kind: resource.kind,
    listKind: resource.listKind ?? `${resource.kind}List`,
    plural: kind.plural,
    singular: resource.singular ?? resource.kind.toLowerCase(),
    namespaced: kind.namespaced,
    verbs: allVerbs.filter((verb) => resource.answer === undefined ? !left.has(verb) : verb === "create"),
    resource,
    served,
    stored: kind,
    subresources: subresourcesOf(resource, served),
    schema: served.schema,
    ...codec,
    toStored: (object: ApiObject) => renamed(toStored(object), kind.apiVersion),
    fromStored: (object: ApiObject) => renamed(fromStored(object), apiVersion),
    deprecation: deprecationOf(resource.kind, apiVersion, served, names),
  });
}

function renamed(object: ApiObject, apiVersion: string): ApiObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** A top-level `status` gives what is stored the status subresource; what a definition lists itself comes on top. */
function subresourcesOf({ answer }: Resource, served: Served): ReadonlyMap<string, Subresource> {
  const declared = Object.entries(served.subresources ?? {});
  if (answer === undefined && Object.hasOwn(served.schema.fields, "status") && !Object.hasOwn(served.subresources ?? {}, "status")) {
    declared.push(["status", statusSubresource]);
  }
  return new Map(declared.toSorted(([a], [b]) => a < b ? -1 : 1));
}
const statusSubresource: Subresource = Object.freeze({
  /** The status is the client's, everything else but metadata is what is stored. */
  write: (next: ApiObject & { status?: unknown }, prior: ApiObject & { status?: unknown }) => {
    const { status: _old, ...rest } = prior;
    return next.status === undefined ? { ...rest, metadata: next.metadata } : { ...rest, metadata: next.metadata, status: next.status };
  },
});

/** Wording of upstream's deprecation warning. */
function deprecationOf(kind: string, apiVersion: string, served: Served, names: Names): Endpoint["deprecation"] {
  const { deprecated, removed, replacement } = served;
  if (deprecated === undefined || compareReleases(deprecated, targetRelease) > 0) return undefined;
  const until = removed === undefined ? "" : `, unavailable in v${removed}+`;
  const move = replacement === undefined ? "" : `; use ${spell(names, replacement.groupVersion)} ${replacement.kind}`;
  return { warning: `${apiVersion} ${kind} is deprecated in v${deprecated}+${until}${move}`, removedRelease: removed ?? "" };
}
