import type { ObjectMeta } from "./object-meta.ts";

/** What a write of the status cannot change of the metadata. */
const kept = ["deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"] as const;

/** The metadata of a status write that changes managed fields only: names, uid and version are still compared. */
export function metaOfStatus(next: ObjectMeta, prior: ObjectMeta): ObjectMeta {
  const merged: Record<string, unknown> = { ...next };
  for (const key of kept) {
    if (prior[key] === undefined) delete merged[key];
    else merged[key] = prior[key];
  }
  // Only fields of ObjectMeta went in; encoding puts keys into the order of the schema.
  return merged as ObjectMeta;
}
