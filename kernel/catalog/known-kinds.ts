/** Which kinds of which versions the server knows of at all, served or not: what a body may call itself. */
import { spell } from "../../core/names.ts";
import { badRequestError, type StatusError } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { Catalog, Endpoint, StoredKind } from "./catalog.ts";
import { splitGroupVersion } from "../../core/versions.ts";

/** Kinds that every group version knows besides its own. */
const everywhere = ["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"];
const inCore = ["List", "Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"];

/** Where upstream says its table of kinds lives; clients see it, so it is part of the wording. */
const scheme = "pkg/api/legacyscheme/scheme.go:30";

interface Registry {
  readonly kinds: ReadonlyMap<string, StoredKind | "other">;
}
const registries = new WeakMap<Catalog, Registry>();

function registryOf(catalog: Catalog): Registry {
  const known = registries.get(catalog);
  if (known !== undefined) return known;
  const kinds = new Map<string, StoredKind | "other">();
  for (const kind of inCore) kinds.set(`v1 ${kind}`, "other");
  for (const stored of catalog.kinds) {
    const { resource } = stored;
    for (const written of Object.keys(resource.served)) {
      const version = spell(catalog.names, written);
      for (const kind of everywhere) kinds.set(`${version} ${kind}`, "other");
      kinds.set(`${version} ${resource.listKind ?? `${resource.kind}List`}`, "other");
      kinds.set(`${version} ${resource.kind}`, stored);
    }
  }
  const made = { kinds };
  registries.set(catalog, made);
  return made;
}

/** Refuses a body of another kind or version than the path's. Empty strings stand for what the body leaves out. */
export function checkType(catalog: Catalog, endpoint: Endpoint, kind: string, apiVersion: string): void {
  const version = apiVersion === "" ? endpoint.apiVersion : apiVersion;
  const called = kind === "" ? endpoint.kind : kind;
  if (version === endpoint.apiVersion && called === endpoint.kind) return;
  const foreign = foreignType(catalog, endpoint, called, version);
  if (foreign !== undefined) throw unhandledError(called, splitGroupVersion(version).version, endpoint, foreign);
  throw badRequestError(`the API version in the data (${version}) does not match the expected API version (${endpoint.apiVersion})`);
}

/** Why an object that calls itself so cannot become one of the path's kind; undefined if it can. */
export function foreignType(catalog: Catalog, endpoint: Endpoint, kind: string, apiVersion: string): string | undefined {
  const found = registryOf(catalog).kinds.get(`${apiVersion} ${kind}`);
  if (found === undefined) {
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(scheme)}`;
  }
  if (found === endpoint.stored) return undefined;
  const { version } = splitGroupVersion(apiVersion);
  return `converting (${version}.${kind}) to (${packageOf(endpoint.stored.group)}.${endpoint.kind}): unknown conversion`;
}

/** 400 for a body that was recognised and cannot be taken. */
export function unhandledError(kind: string, version: string, endpoint: Endpoint, why: string): StatusError {
  return badRequestError(`${kind} in version ${goQuote(version)} cannot be handled as a ${endpoint.kind}: ${why}`);
}

/** The name that upstream's messages give a group's internal form. */
export function packageOf(group: string): string {
  return group === "" ? "core" : group.split(".")[0]!;
}
