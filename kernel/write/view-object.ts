/** Makes an object of the kind of a subresource's view, such as Scale. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { SubresourceBody } from "../../core/subresource.ts";
import type { Endpoint } from "../catalog/catalog.ts";

/** Returns the view with defaults, and with the metadata that views have. `body` holds the fields that were read from the object. */
export function viewObject(view: Endpoint, { metadata }: ApiObject, body: SubresourceBody<ApiObject>): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const shown = present({ name, namespace, uid, resourceVersion, creationTimestamp });
  return view.applyDefaults({ kind: view.kind, apiVersion: view.apiVersion, metadata: shown, ...body } as ApiObject); // the object has the view's schema
}

/** Removes fields whose value is undefined, which objects must not have. */
function present<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T; // only optional fields can be undefined
}
