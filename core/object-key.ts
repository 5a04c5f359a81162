/** Keys of objects for work queues, in the format of client-go's caches. */
import type { ApiObject } from "./meta/object-meta.ts";

/** Returns the key of an object in a work queue: `namespace/name`, or `name` for a cluster-scoped object. */
export function objectKey({ metadata: { namespace = "", name = "" } }: Pick<ApiObject, "metadata">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** Returns the parts of a key that `objectKey` has made. `namespace` is "" for a cluster-scoped object. */
export function splitObjectKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) };
}
