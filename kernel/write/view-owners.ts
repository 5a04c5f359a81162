/**
 * Translates the field managers of an object to a subresource's view before a write, and back after it, as upstream does for `scale`. The
 * view has no managed fields itself.
 */
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  noOwners,
  type Owner,
  type Owners,
  readOwners,
  setOfPaths,
  union,
  writeOwners,
} from "../../core/apply/mod.ts";
import type { ManagedFieldsEntry } from "../../core/meta/object-meta.ts";
import { ownerId } from "../../core/apply/owners.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { RequestContext } from "../request-context.ts";
import { versionEndpoint } from "./field-managers.ts";

type Entries = readonly ManagedFieldsEntry[] | undefined;
interface Pair {
  readonly ofView: FieldSet;
  readonly ofObject: FieldSet;
}

/** Returns the entries of the view: each owner of the object, with the fields of the view that it owns. */
export function viewEntries(call: RequestContext, view: Endpoint, entries: Entries): Entries {
  const owners = readOwners(entries) ?? noOwners;
  const shown = new Map<string, Owner>();
  for (const owner of owners.values()) {
    const set = translate(pairsOf(call, owner.apiVersion) ?? [], owner.set, "ofObject", "ofView");
    if (isEmptySet(set)) continue;
    const own = { ...owner, apiVersion: view.apiVersion, set };
    shown.set(ownerId(own), own);
  }
  return writeOwners(shown);
}

/**
 * Returns the entries of the object after a write to the view. Fields that an owner has lost or gained in the view are removed or added in
 * the object. Added entries have this subresource and no time. Entries in versions that are not served are dropped.
 */
export function objectEntries(call: RequestContext, view: Endpoint, entries: Entries, after: Entries): Entries {
  const shown = new Map(readOwners(after) ?? noOwners);
  const owners = new Map<string, Owner>();
  for (const [id, owner] of readOwners(entries) ?? noOwners) {
    const pairs = pairsOf(call, owner.apiVersion);
    if (pairs === undefined) continue;
    const idInView = ownerId({ ...owner, apiVersion: view.apiVersion });
    const kept = translate(pairs, shown.get(idInView)?.set ?? { owned: false }, "ofView", "ofObject");
    shown.delete(idInView);
    const set = union(difference(owner.set, allOf(pairs, "ofObject")), kept);
    if (!isEmptySet(set)) owners.set(id, { ...owner, set });
  }
  addGained(call, shown, owners);
  return writeOwners(owners);
}

/** Adds the owners that are new to the object. */
function addGained(call: RequestContext, shown: Owners, owners: Map<string, Owner>): void {
  const { apiVersion } = call.endpoint;
  const pairs = pairsOf(call, apiVersion) ?? [];
  for (const owner of shown.values()) {
    const set = translate(pairs, owner.set, "ofView", "ofObject");
    if (isEmptySet(set)) continue;
    const own = { ...owner, apiVersion, set, time: undefined };
    owners.set(ownerId(own), own);
  }
}

/** Returns the fields of the view in a version of the object; undefined if the version is not served. */
function pairsOf(call: RequestContext, apiVersion: string): readonly Pair[] | undefined {
  const found = versionEndpoint(call, apiVersion);
  if (found === undefined) return undefined;
  const fields = found.subresources.get(call.info.subresource)?.definition.view?.fields ?? {};
  return Object.entries(fields).map(([ofView, ofObject]) => ({ ofView: pathSet(ofView), ofObject: pathSet(ofObject) }));
}

function pathSet(path: string): FieldSet {
  return setOfPaths(path.split(".").filter((name) => name !== "").map((name) => `f:${name}` as const));
}
function translate(pairs: readonly Pair[], set: FieldSet, from: keyof Pair, to: keyof Pair): FieldSet {
  return pairs.filter((pair) => !isEmptySet(intersection(set, pair[from]))).reduce((all, pair) => union(all, pair[to]), none);
}
function allOf(pairs: readonly Pair[], of: keyof Pair): FieldSet {
  return pairs.reduce((all, pair) => union(all, pair[of]), none);
}
const none: FieldSet = Object.freeze({ owned: false });
