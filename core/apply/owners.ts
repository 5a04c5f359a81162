/** The entries of metadata.managedFields as sets, and back. */
import type { ManagedFieldsEntry } from "../meta/object-meta.ts";
import { compareBytes } from "../derive/sorted-keys.ts";
import { limits } from "../limits.ts";
import { type FieldSet, readFieldSet, union, writeFieldSet } from "./field-set.ts";

/** One manager by one operation through one path, and what it owns. An applier is the same in every version, an updater is not. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** The version that the set is written in. */
  readonly apiVersion: string;
  readonly subresource: string;
  readonly set: FieldSet;
  /** When the set last changed, as metadata has it. */
  readonly time: string | null | undefined;
}
/** By `ownerId`. */
export type Owners = ReadonlyMap<string, Owner>;
export const noOwners: Owners = new Map();

/** What makes two entries one. Its order is that of managers in messages. */
export function ownerId({ manager, operation, apiVersion, subresource }: Omit<Owner, "set" | "time">): string {
  return JSON.stringify({
    manager,
    operation,
    ...(operation === "Apply" || apiVersion === "" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

/** The owners that the entries describe; undefined when an entry is invalid. */
export function readOwners(entries: readonly ManagedFieldsEntry[] | undefined): Owners | undefined {
  if (entries === undefined || entries.length === 0) return noOwners;
  const owners = new Map<string, Owner>();
  for (const entry of entries) {
    const { operation, apiVersion = "", manager = "", subresource = "" } = entry;
    if ((operation !== "Apply" && operation !== "Update") || apiVersion === "" || entry.fieldsType !== "FieldsV1") return undefined;
    try {
      const owner: Owner = { manager, operation, apiVersion, subresource, set: readFieldSet(entry.fieldsV1), time: entry.time };
      owners.set(ownerId(owner), owner);
    } catch {
      return undefined; // a field set that cannot be read makes the whole list senseless
    }
  }
  return owners;
}

/** The entries of owners in upstream's order: applies first, then by time, then by name. Undefined when there are none. */
export function writeOwners(owners: Owners): readonly ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  return [...owners.values()].sort(compareOwners).map(({ manager, operation, apiVersion, subresource, set, time }) => ({
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined || time === null ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: writeFieldSet(set),
    ...(subresource === "" ? {} : { subresource }),
  }));
}

function compareOwners(a: Owner, b: Owner): number {
  return compareBytes(a.operation, b.operation) || seconds(a) - seconds(b) || compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) || compareBytes(a.subresource, b.subresource);
}
function seconds({ time }: Owner): number {
  return time === undefined || time === null ? 0 : Math.floor(Date.parse(time) / 1000);
}

const ancientManager = "ancient-changes";

/** At most `limits.updateManagersMax` owners by update: beyond that the oldest of each version are put together under one name. */
export function capped(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  let count = updaters.length;
  if (count <= limits.updateManagersMax) return owners;
  updaters.sort(([a, x], [b, y]) => seconds(x) - seconds(y) || compareBytes(a, b));
  const left = new Map(owners);
  const first = new Map<string, string>();
  for (const [id, owner] of updaters) {
    if (count <= limits.updateManagersMax) break;
    const { apiVersion } = owner;
    const oldest = first.get(apiVersion);
    if (oldest === undefined) {
      first.set(apiVersion, id);
      continue;
    }
    const ancient = { manager: ancientManager, operation: "Update", apiVersion, subresource: "" } as const;
    const bucketId = ownerId(ancient);
    // The bucket itself can come after a manager that has not written since. Merged into itself it would not make the list shorter.
    if (id === bucketId) continue;
    const bucket = left.get(bucketId) ?? left.get(oldest)!; // the oldest is there until the bucket is made of it
    if (!left.has(bucketId)) left.delete(oldest);
    left.delete(id);
    left.set(bucketId, { ...ancient, set: union(owner.set, bucket.set), time: owner.time });
    count--;
  }
  return left;
}
