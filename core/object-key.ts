/** Keys of objects for work queues, as client-go's caches have them. */
import type { ApiObject } from "./meta/object-meta.ts";

/** `namespace/name`, or `name` for an object of the cluster. */
export function objectKey({ metadata: { namespace = "", name = "" } }: Pick<ApiObject, "metadata">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** The parts of a key; `namespace` is "" for an object of the cluster. */
export function splitObjectKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) };
}
