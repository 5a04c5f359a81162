/** Knows the kinds of all versions, served or not, and checks the type of a body. */
import { spell } from "../../core/names.ts";
import type { Resource } from "../../core/plugin.ts";
import { badRequestError, type StatusError } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { Catalog, Endpoint, StoredKind } from "./catalog.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { upstreamKinds } from "../../core/released/upstream-kinds.ts";

/** Kinds that every group version has, in addition to its own. */
const everywhere = ["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"];
/** Kinds whose bodies are accepted in any version. */
const unversioned = ["Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"];

/** Upstream's location of its table of kinds, which is part of the message to clients. */
const scheme = "pkg/api/legacyscheme/scheme.go:30";

/** What is known of a kind: a kind of the catalog, "other", or "meta" for one whose Go type is the same in every version. */
type Known = StoredKind | "other" | "meta";
type Registry = ReadonlyMap<string, Known>;
const registries = new WeakMap<Catalog, Registry>();

function registryOf(catalog: Catalog): Registry {
  const known = registries.get(catalog);
  if (known !== undefined) return known;
  const kinds = new Map<string, Known>();
  const addAll = (version: string, own: readonly string[]): void => {
    for (const kind of everywhere) kinds.set(`${version} ${kind}`, "meta");
    for (const kind of own) kinds.set(`${version} ${kind}`, "other");
  };
  for (const [written, listed, single] of upstreamKinds) {
    const each = listed.split(" ").filter((kind) => kind !== "");
    addAll(spell(catalog.names, written), [...each, ...each.map((kind) => `${kind}List`), ...single.split(" ")]);
  }
  const versions = upstreamKinds.map(([written]) => spell(catalog.names, written));
  for (const stored of catalog.kinds) {
    const { resource } = stored;
    const served = Object.keys(resource.served).map((written) => spell(catalog.names, written));
    for (const version of served) addAll(version, [resource.listKind ?? `${resource.kind}List`]);
    // A version that is not served can be converted to the served ones of its group.
    const groups = new Set(served.map((version) => splitGroupVersion(version).group));
    const old = versions.filter((version) => groups.has(splitGroupVersion(version).group) && kinds.has(`${version} ${resource.kind}`));
    for (const version of [...old, ...served]) kinds.set(`${version} ${resource.kind}`, stored);
    addSubresourceKinds(catalog, resource, kinds);
  }
  registries.set(catalog, kinds);
  return kinds;
}

/** Adds the kinds of subresources of a resource. */
function addSubresourceKinds({ names }: Catalog, resource: Resource, kinds: Map<string, Known>): void {
  for (const { subresources } of Object.values(resource.served)) {
    for (const { view, create } of Object.values(subresources ?? {})) {
      for (const own of [view, create?.request, create?.response]) {
        if (own === undefined) continue;
        const name = `${spell(names, own.groupVersion)} ${own.schema.name}`;
        if (!kinds.has(name)) kinds.set(name, "other");
      }
    }
  }
}

/**
 * Returns the version that a body means: the path's version if the body has none, or names only the path's group (`storage.k8s.io/`). `/v1`
 * means `v1`.
 */
export function meantVersion(endpoint: Endpoint, apiVersion: string): string {
  const { group, version } = splitGroupVersion(apiVersion);
  if (version === "" && (group === "" || group === endpoint.group)) return endpoint.apiVersion;
  return group === "" ? version : apiVersion;
}

/** Rejects a body of another kind or version than the path's. Absent values are empty strings. */
export function checkType(catalog: Catalog, endpoint: Endpoint, kind: string, apiVersion: string): void {
  if (endpoint.resource.custom) {
    // The kind is compared later, by validation.
    if (apiVersion === endpoint.apiVersion) return;
    throw otherVersion(endpoint, apiVersion);
  }
  const version = meantVersion(endpoint, apiVersion);
  const called = kind === "" ? endpoint.kind : kind;
  if (called === endpoint.kind && (version === endpoint.apiVersion || isAlsoIn(catalog, endpoint, version))) return;
  const foreign = foreignType(catalog, endpoint, called, version);
  if (foreign !== undefined) throw unhandledError(called, splitGroupVersion(version).version, endpoint, foreign);
  throw otherVersion(endpoint, version);
}

/** Whether the body of an action may be in this version too. */
function isAlsoIn({ names }: Catalog, { resource: { storedUnder, served } }: Endpoint, version: string): boolean {
  return storedUnder === undefined && Object.keys(served).some((written) => spell(names, written) === version);
}

function otherVersion({ apiVersion }: Endpoint, found: string): StatusError {
  return badRequestError(`the API version in the data (${found}) does not match the expected API version (${apiVersion})`);
}

/** Returns the reason why an object of this type cannot be converted to the path's kind; undefined if it can. */
export function foreignType(catalog: Catalog, endpoint: Endpoint, kind: string, apiVersion: string): string | undefined {
  if (apiVersion === endpoint.apiVersion && kind === endpoint.kind) return undefined;
  const found = unversioned.includes(kind) ? "meta" : registryOf(catalog).get(`${apiVersion} ${kind}`);
  if (found === undefined) {
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(scheme)}`;
  }
  if (found === endpoint.stored) return undefined;
  const version = found === "meta" ? "v1" : splitGroupVersion(apiVersion).version;
  return `converting (${version}.${kind}) to (${packageOf(endpoint.stored.group)}.${endpoint.kind}): unknown conversion`;
}

/** Does the same as `foreignType` for a patched object without a version, which is decoded as the internal form of its kind. */
export function foreignInternal(catalog: Catalog, endpoint: Endpoint, kind: string): string | undefined {
  const found = unversioned.includes(kind) ? "meta" : internalKind(registryOf(catalog), endpoint.group, kind);
  if (found === endpoint.stored) return undefined;
  if (found === undefined) {
    return `no kind ${goQuote(kind)} is registered for the internal version of group ${goQuote(endpoint.group)} in scheme ${
      goQuote(scheme)
    }`;
  }
  const type = `${found === "meta" ? "v1" : packageOf(endpoint.group)}.${kind}`;
  return `converting (${type}) to (${packageOf(endpoint.stored.group)}.${endpoint.kind}): unknown conversion`;
}
function internalKind(registry: Registry, group: string, kind: string): Known | undefined {
  for (const [key, known] of registry) {
    const at = key.indexOf(" ");
    if (known !== "meta" && key.slice(at + 1) === kind && splitGroupVersion(key.slice(0, at)).group === group) return known;
  }
  return undefined;
}

/** Returns the 400 for a body of a known but unexpected kind. */
export function unhandledError(kind: string, version: string, endpoint: Endpoint, why: string): StatusError {
  return badRequestError(`${kind} in version ${goQuote(version)} cannot be handled as a ${endpoint.kind}: ${why}`);
}

/** Returns the name that upstream's messages use for a group's internal form. */
export function packageOf(group: string): string {
  return group === "" ? "core" : group.split(".")[0]!;
}
