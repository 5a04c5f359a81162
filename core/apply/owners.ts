/** Converts the entries of metadata.managedFields to sets of fields, and back. */
import type { ManagedFieldsEntry } from "../meta/object-meta.ts";
import { compareBytes } from "../tree/sorted-keys.ts";
import { goQuote } from "../tree/go-quote.ts";
import { reasonOf } from "../reason-of.ts";
import { type FieldSet, readFieldSet, union, writeFieldSet } from "./field-set.ts";
import { valueText } from "../value-text.ts";
import { bound } from "../bound.ts";

/** Maximum number of entries with the operation Update in metadata.managedFields. Older ones are merged. */
export const updateManagersMax = bound(10);

/** The fields that a manager owns by one operation and subresource. The version is part of the identity of an updater, not of an applier. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** The version in which the set is written. */
  readonly apiVersion: string;
  readonly subresource: string;
  readonly set: FieldSet;
  /** The time of the last change of the set, in the format of metadata. */
  readonly time: string | null | undefined;
  /** The entry from which an earlier state of the owner was read. It is written again if it is the same. */
  readonly entry?: ManagedFieldsEntry | undefined;
}
/** The owners of an object by their `ownerId`. */
export type Owners = ReadonlyMap<string, Owner>;
export const noOwners: Owners = new Map();

/** Returns the id of an entry. Entries with the same id are merged. Error messages sort managers by it. */
export function ownerId({ manager, operation, apiVersion, subresource }: Omit<Owner, "set" | "time" | "entry">): string {
  const version = operation === "Apply" || apiVersion === "" ? "" : `,"apiVersion":${valueText(apiVersion)}`;
  const through = subresource === "" ? "" : `,"subresource":${valueText(subresource)}`;
  return `{"manager":${valueText(manager)},"operation":"${operation}"${version}${through}}`;
}

/** Returns the owners of the entries; undefined if an entry is invalid. */
export function readOwners(entries: readonly ManagedFieldsEntry[] | undefined): Owners | undefined {
  if (entries === undefined || entries.length === 0) return noOwners;
  const owners = new Map<string, Owner>();
  for (const entry of entries) {
    const { operation, apiVersion = "", manager = "", subresource = "" } = entry;
    if ((operation !== "Apply" && operation !== "Update") || apiVersion === "" || entry.fieldsType !== "FieldsV1") return undefined;
    try {
      const owner: Owner = { manager, operation, apiVersion, subresource, set: readFieldSet(entry.fieldsV1), time: entry.time, entry };
      owners.set(ownerId(owner), owner);
    } catch {
      return undefined; // one invalid field set invalidates the whole list
    }
  }
  return owners;
}

/** Returns why entries have no owners, in upstream's words; undefined if they have some. */
export function ownersProblem(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  for (const [index, { operation, apiVersion = "", fieldsType = "", fieldsV1, manager = "" }] of (entries ?? []).entries()) {
    if (operation !== "Apply" && operation !== "Update") return "operation must be `Apply` or `Update`";
    if (apiVersion === "") return "apiVersion must not be empty";
    if (fieldsType === "") return `missing fieldsType in managed fields entry ${index}`;
    if (fieldsType !== "FieldsV1") return `invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`;
    try {
      readFieldSet(fieldsV1);
    } catch (error) {
      return `error decoding versioned set from the entry of ${goQuote(manager)}: error decoding set: ${reasonOf(error)}`;
    }
  }
  return undefined;
}

/** Returns the entries of owners in upstream's order: applies first, then by time, then by name. Undefined if there are none. */
export function writeOwners(owners: Owners): readonly ManagedFieldsEntry[] | undefined {
  return owners.size === 0 ? undefined : [...owners.values()].sort(compareOwners).map(entryOf);
}

function entryOf({ manager, operation, apiVersion, subresource, set, time, entry }: Owner): ManagedFieldsEntry {
  const fieldsV1 = writeFieldSet(set);
  if (
    entry !== undefined && entry.fieldsV1 === fieldsV1 && time !== null && entry.time === time && entry.operation === operation &&
    entry.apiVersion === apiVersion && (entry.manager ?? "") === manager && (entry.subresource ?? "") === subresource
  ) return entry;
  return {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined || time === null ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === "" ? {} : { subresource }),
  };
}

function compareOwners(a: Owner, b: Owner): number {
  return compareBytes(a.operation, b.operation) || compareTimes(a, b) || compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) || compareBytes(a.subresource, b.subresource);
}

/** Compares two owners by time. The format of metadata can be sorted as text. */
function compareTimes(a: Owner, b: Owner): number {
  return compareBytes(a.time ?? epoch, b.time ?? epoch);
}
/** The time with which an owner without a time is sorted. */
const epoch = "1970-01-01T00:00:00Z";

const ancientManager = "ancient-changes";

/** Reduces the owners by update to `updateManagersMax`. The oldest ones of each version are merged under the name `ancient-changes`. */
export function capOwners(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  let count = updaters.length;
  if (count <= updateManagersMax) return owners;
  updaters.sort(([a, x], [b, y]) => compareTimes(x, y) || compareBytes(a, b));
  const left = new Map(owners);
  const first = new Map<string, string>();
  for (const [id, owner] of updaters) {
    if (count <= updateManagersMax) break;
    const { apiVersion } = owner;
    const oldest = first.get(apiVersion);
    if (oldest === undefined) {
      first.set(apiVersion, id);
      continue;
    }
    const ancient = { manager: ancientManager, operation: "Update", apiVersion, subresource: "" } as const;
    const bucketId = ownerId(ancient);
    // The bucket can come after a manager with an older entry. Merging it with itself would not shorten the list.
    if (id === bucketId) continue;
    const bucket = left.get(bucketId) ?? left.get(oldest)!; // the oldest is in the map until the bucket replaces it
    if (!left.has(bucketId)) left.delete(oldest);
    left.delete(id);
    left.set(bucketId, { ...ancient, set: union(owner.set, bucket.set), time: owner.time });
    count--;
  }
  return left;
}
