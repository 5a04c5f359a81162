/**
 * Computes the owners of fields after a write, from the owners before it. An update takes the fields that it changes from all other
 * managers. An apply owns exactly the fields that it names; it takes fields of another manager with force only.
 *
 *   owners      alpha applied {data.a, data.b}
 *   beta updates data.a    ->  alpha {data.b}, beta {data.a}
 *   alpha applies data.a   ->  conflict with beta; with force: alpha {data.a}, and data.b is removed, because it has no owner left
 */
import { isObject, type Json } from "../schema.ts";
import { setOwn } from "../tree/values.ts";
import { type Atom } from "./atom.ts";
import { memberElement } from "./element.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  fieldSetDepthMax,
  intersection,
  isEmptySet,
  isSubset,
  leafSet,
  pathTexts,
  recursiveDifference,
  sameSet,
  setOfPaths,
  union,
} from "./field-set.ts";
import { merge, removeFields } from "./merge.ts";
import { type Owner, ownerId, type Owners } from "./owners.ts";
import { compare, type Comparison, fieldSetOf, isSame, reconcile, withNamedMembers, withoutIgnored } from "./typed.ts";
import { sameValue } from "../derive/same-value.ts";
import { valueText } from "../value-text.ts";

/** The schemas of an object in each version of its entries, and conversion between them. */
export interface Versions {
  /** The version of the request. */
  readonly current: string;
  /** Returns the atom of the object in a version. Undefined if the version is not served; entries in it are dropped. */
  readonly atom: (apiVersion: string) => Atom | undefined;
  /** Converts an object between two versions that have atoms. May return the same value. Throws `NotConvertible`. */
  readonly convert: (object: Json, from: string, to: string) => Json;
  /** Returns the paths, in that version, that a write through this request path does not change. Such a write does not own them. */
  readonly ignored: (apiVersion: string) => FieldSet;
}

/**
 * Thrown if an object has a field that the other version does not declare, as custom resources can, or if its conversion by a call has
 * failed. The message is upstream's.
 */
export class NotConvertible extends Error {
  readonly isFailedCall: boolean;
  constructor(message: string, { isFailedCall = false } = {}) {
    super(message);
    this.isFailedCall = isFailedCall;
  }
}

/** Runs a conversion. `what` says what was being done, and is added to the message of `NotConvertible`. */
function within<T>(what: string, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    throw error instanceof NotConvertible ? new NotConvertible(`${what}: ${error.message}`, error) : error;
  }
}

/** Throws `NotConvertible` unless the object can be converted to the served versions of all owners. */
export function checkConvertible(versions: Versions, object: Json, owners: Owners): void {
  const others = new Set(Array.from(owners.values(), ({ apiVersion }) => apiVersion));
  others.delete(versions.current);
  for (const version of others) if (versions.atom(version) !== undefined) versions.convert(object, versions.current, version);
}

export interface Writer {
  readonly manager: string;
  readonly subresource: string;
  /** The current time in the format of metadata. */
  readonly time: string;
}

/** Fields of metadata that never have an owner. */
const unowned: FieldSet = setOfPaths(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"]
    .map((name) => ["f:metadata", `f:${name}`]),
);

/** Returns the differences between two objects in the current version, without the paths that the write ignores. */
export function changesOf(versions: Versions, before: Json, after: Json): Comparison {
  const ignored = versions.ignored(versions.current);
  return withoutIgnored(compare(atomOf(versions), besides(ignored, before), besides(ignored, after)), ignored);
}

/** The object without the members that are ignored as a whole: a status is a third of what the create of a Pod would compare. */
function besides(ignored: FieldSet, object: Json): Json {
  const { children } = ignored;
  if (!isObject(object) || children === undefined) return object;
  const names = Object.keys(object), left = names.filter((name) => children.get(memberElement(name))?.owned !== true);
  if (left.length === names.length) return object;
  const rest: Record<string, Json> = {};
  for (const name of left) setOwn(rest, name, object[name]!); // it is a member
  return rest;
}

/** Returns the owners after an update from `before` to `after`, both in the current version. */
export function ownersAfterUpdate(
  versions: Versions,
  before: Json,
  after: Json,
  owners: Owners,
  writer: Writer,
  found: Comparison = changesOf(versions, before, after),
): Owners {
  if (isSame(found) && [...owners.values()].every((owner) => versions.atom(owner.apiVersion) !== undefined && !isEmptySet(owner.set))) {
    return reconcileOwners(versions, owners);
  }
  const took = difference(union(found.modified, found.added), unowned);
  const self = { manager: writer.manager === "" ? "unknown" : writer.manager, operation: "Update", apiVersion: versions.current } as const;
  const id = ownerId({ ...self, subresource: writer.subresource });
  // A new object has one owner of all fields.
  if (owners.size === 0) {
    return isEmptySet(took) ? owners : new Map([[id, { ...self, subresource: writer.subresource, set: took, time: writer.time }]]);
  }
  const others = takeFrom(versions, before, after, reconcileOwners(versions, owners), found, "");
  if (isEmptySet(took)) return others.owners;
  const had = others.owners.get(id);
  const set = keepSet(owners.get(id), had === undefined ? took : union(had.set, took));
  return others.owners.set(id, { ...self, subresource: writer.subresource, set, time: writer.time });
}

/** Returns the set that an owner had before the write if it is equal, because its text is known. */
function keepSet(before: Owner | undefined, set: FieldSet): FieldSet {
  return before !== undefined && sameSet(before.set, set) ? before.set : set;
}

/** The result of an apply. `object` is undefined if the object has not changed; ownership may have. */
export type Applied =
  | { readonly done: true; readonly object: Json | undefined; readonly owners: Owners }
  | { readonly done: false; readonly conflicts: readonly Conflict[] };
/** Fields of another manager that an apply would change. */
export interface Conflict {
  readonly owner: Owner;
  readonly set: FieldSet;
}

/** Applies `config` to `live`, both in the current version. `config` must have passed `typeProblems`. */
export function applyConfig(versions: Versions, live: Json, config: Json, before: Owners, writer: Writer, force: boolean): Applied {
  const atom = atomOf(versions);
  const owners = reconcileOwners(versions, before);
  const self = { manager: writer.manager, operation: "Apply", apiVersion: versions.current, subresource: writer.subresource } as const;
  const id = ownerId(self);
  const last = owners.get(id);
  const set = recursiveDifference(fieldSetOf(atom, config), versions.ignored(versions.current));
  const merged = merge(atom, live, config)!; // neither value is undefined
  // Most applies name all fields of the last one, so no field can be removed.
  const keepsAll = last === undefined || (last.apiVersion === versions.current && isSubset(last.set, set));
  const object = keepsAll ? merged : within("failed to prune fields", () => {
    const claimed = new Map(owners).set(id, { ...self, set, time: last.time });
    return pruneAbandoned(versions, merged, claimed, last);
  });

  const found = changesOf(versions, live, object);
  const { owners: after, conflicts } = takeFrom(versions, live, object, owners, found, id);
  if (conflicts.length > 0 && !force) return { done: false, conflicts };
  const own = keepSet(last, difference(set, unowned));
  const changed = !sameAsLive(live, object);
  if (!isEmptySet(own)) after.set(id, { ...self, set: own, time: changed ? writer.time : last?.time, entry: last?.entry });
  return { done: true, object: changed ? object : undefined, owners: after };
}

/**
 * Whether an apply changes nothing. An empty list of a live object is Go's nil, so null is equal to it. Levels that are owned as one value
 * are compared without recursion.
 */
function sameAsLive(live: Json | undefined, object: Json | undefined, depth = 0): boolean {
  if (object === null && Array.isArray(live)) return live.length === 0;
  if (depth === fieldSetDepthMax) return sameValue(live, object);
  if (Array.isArray(live) && Array.isArray(object)) {
    return live.length === object.length && live.every((each, i) => sameAsLive(each, object[i], depth + 1));
  }
  if (!isObject(live) || !isObject(object)) return sameValue(live, object);
  if (live === object) return true;
  const keys = Object.keys(live);
  return keys.length === Object.keys(object).length &&
    keys.every((key) => Object.hasOwn(object, key) && sameAsLive(live[key], object[key], depth + 1));
}

/** Returns the merged object without the fields that the manager applied last time and omits now, unless another manager owns them. */
function pruneAbandoned(versions: Versions, merged: Json, owners: Owners, last: Owner): Json {
  const { current } = versions;
  const version = last.apiVersion;
  const atom = versions.atom(version);
  if (atom === undefined || isEmptySet(last.set)) return merged;
  const whole = within(
    "failed to convert merged object to last applied version",
    () => versions.convert(merged, current, version),
  );
  const lastSet = withNamedMembers(atom, last.set);
  let rest = removeFields(atom, whole, lastSet);
  if (rest === whole) return merged;
  rest = withOwned(versions, whole, rest, version, owners);
  // Fields that the manager did not own before are also kept.
  const wholeSet = withNamedMembers(atom, fieldSetOf(atom, whole)), restSet = withNamedMembers(atom, fieldSetOf(atom, rest));
  rest = removeFields(atom, whole, intersection(difference(wholeSet, restSet), lastSet));
  return versions.convert(rest, version, current);
}

/** Returns `rest` with owned fields restored from `whole`, both in `version`. */
function withOwned(versions: Versions, whole: Json, rest: Json, version: string, owners: Owners): Json {
  const byVersion = new Map<string, FieldSet>([[version, emptySet]]);
  for (const { apiVersion, set } of owners.values()) byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? emptySet, set));
  let left = rest;
  for (const [other, owned] of byVersion) {
    const atom = versions.atom(other);
    if (atom === undefined) continue;
    const to = (object: Json, what: string) =>
      within(
        `failed add back owned items: failed to convert ${what} object at version ${other}`,
        () => versions.convert(object, version, other),
      );
    const all = to(whole, "merged");
    const allSet = withNamedMembers(atom, fieldSetOf(atom, all));
    const leftSet = withNamedMembers(atom, fieldSetOf(atom, to(left, "pruned")));
    left = versions.convert(removeFields(atom, all, difference(allSet, union(leftSet, withNamedMembers(atom, owned)))), other, version);
  }
  return left;
}

/**
 * Returns the owners other than `self` without the changed fields, in a new map. A field that an owner loses because its value changes is a
 * conflict; one that it loses by a removal is not.
 */
function takeFrom(
  versions: Versions,
  before: Json,
  after: Json,
  owners: Owners,
  found: Comparison,
  self: string,
): { readonly owners: Map<string, Owner>; readonly conflicts: readonly Conflict[] } {
  const byVersion = new Map<string, Taken>([[versions.current, takenBy(found)]]);
  const left = new Map<string, Owner>();
  const conflicts: Conflict[] = [];
  for (const [id, owner] of owners) {
    if (id === self) continue;
    const { apiVersion } = owner;
    let there = byVersion.get(apiVersion);
    if (there === undefined) {
      const atom = versions.atom(apiVersion);
      if (atom === undefined) continue;
      const to = (object: Json, what: string) =>
        within(`failed to convert ${what} object`, () => versions.convert(object, versions.current, apiVersion));
      there = takenBy(withoutIgnored(compare(atom, to(before, "old"), to(after, "new")), versions.ignored(apiVersion)));
      byVersion.set(apiVersion, there);
    }
    const lost = intersection(owner.set, there.changed);
    if (!isEmptySet(lost)) conflicts.push({ owner, set: lost });
    const set = difference(difference(owner.set, lost), there.removed);
    if (!isEmptySet(set)) left.set(id, set === owner.set ? owner : { ...owner, set });
  }
  return { owners: left, conflicts };
}

interface Taken {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}
function takenBy({ added, modified, removed }: Comparison): Taken {
  return { changed: union(modified, added), removed };
}

/** The atoms that a set is known to match. Objects share most sets. */
const matching = new WeakMap<FieldSet, Atom>();

/** Does the same as `reconcile`. A set that matches the atom is visited once. */
function reconcileOnce(atom: Atom, set: FieldSet): FieldSet {
  if (set.children === undefined || matching.get(set) === atom) return set;
  const found = reconcile(atom, set);
  if (found === set) matching.set(set, atom);
  return found;
}

/** Returns the owners with sets that match the current schema. */
function reconcileOwners(versions: Versions, owners: Owners): Owners {
  let changed: Map<string, Owner> | undefined;
  for (const [id, owner] of owners) {
    const atom = versions.atom(owner.apiVersion);
    if (atom === undefined) continue;
    const set = reconcileOnce(atom, owner.set);
    if (set !== owner.set) (changed ??= new Map(owners)).set(id, { ...owner, set });
  }
  return changed ?? owners;
}

function atomOf(versions: Versions): Atom {
  const atom = versions.atom(versions.current);
  if (atom === undefined) throw new Error(`no schema for ${versions.current}, the version of the request`);
  return atom;
}

/** Returns the set of these fields and all that is below them, for `Versions.ignored`: `spec`, `metadata.ownerReferences`. */
export function setOfFields(...names: readonly string[]): FieldSet {
  if (names.length === 0) return emptySet;
  const firsts = new Set(names.map((name) => name.split(".")[0]!));
  const below = (first: string) => names.filter((name) => name.startsWith(`${first}.`)).map((name) => name.slice(first.length + 1));
  const children = [...firsts].map((first) => [`f:${first}`, names.includes(first) ? leafSet : setOfFields(...below(first))] as const);
  return { owned: false, children: new Map(children) };
}

/** Returns upstream's error message for conflicts, with one cause for each path. */
export function conflictTexts(
  conflicts: readonly Conflict[],
): { readonly message: string; readonly causes: readonly { readonly field: string; readonly message: string }[] } {
  const sorted = [...conflicts].sort((a, b) => ownerId(a.owner) < ownerId(b.owner) ? -1 : 1);
  const named = sorted.map(({ owner, set }) => ({ who: whoText(owner), paths: pathTexts(set) }));
  const causes = named.flatMap(({ who, paths }) => paths.map((field) => ({ field, message: `conflict with ${who}` })));
  if (causes.length === 1) return { message: `Apply failed with 1 conflict: ${causes[0]!.message}: ${causes[0]!.field}`, causes };
  const lines = named.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join("\n")}`, causes };
}

function whoText({ manager, subresource, operation, apiVersion }: Owner): string {
  const through = subresource === "" ? "" : ` with subresource ${valueText(subresource)}`;
  return `${valueText(manager)}${through}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
