import type { ObjectMeta } from "./object-meta.ts";

/** Fields of metadata that a write of the status does not change. */
const kept = ["deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"] as const;

/**
 * Returns the metadata after a write of the status, which changes managed fields only. Names, uid and version are taken from the request,
 * because they are still compared.
 */
export function metaOfStatus(next: ObjectMeta, prior: ObjectMeta): ObjectMeta {
  const merged: Record<string, unknown> = { ...next };
  for (const key of kept) {
    if (prior[key] === undefined) delete merged[key];
    else merged[key] = prior[key];
  }
  // All fields are those of ObjectMeta; encoding sorts the keys into schema order.
  return merged as ObjectMeta;
}
