import type { ObjectMeta } from "./object-meta.ts";

/** Metadata that a write of the status does not change. */
const kept = ["deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"] as const;

/** The metadata of a status write that changes managed fields only: names, uid and version are still compared. */
export function metaOfStatus(next: ObjectMeta, prior: ObjectMeta): ObjectMeta {
  const merged: Record<string, unknown> = { ...next };
  for (const key of kept) {
    if (prior[key] === undefined) delete merged[key];
    else merged[key] = prior[key];
  }
  // All fields are those of ObjectMeta; encoding sorts the keys into schema order.
  return merged as ObjectMeta;
}
