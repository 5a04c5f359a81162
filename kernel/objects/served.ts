/** An item in a served version of its kind: as an object, or as JSON, which is the stored text where that is the served form. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { Part } from "./chunks.ts";
import type { Item } from "./objects.ts";

/** The object of an item in the version of the request. */
export function servedObject(endpoint: Endpoint, item: Item): ApiObject {
  return conversionOf(endpoint, item.object);
}
/** The same, for a response that is encoded from it at once: see `Item.shortLived`. */
export function shortLivedObject(endpoint: Endpoint, item: Item): ApiObject {
  return conversionOf(endpoint, item.shortLived);
}
/** Converts an object from the stored form to a served version. Custom resources have the defaults of the stored version only. */
export function conversionOf(endpoint: Endpoint, stored: ApiObject): ApiObject {
  if (isStoredForm(endpoint)) return stored;
  const object = endpoint.fromStored(stored);
  return endpoint.resource.custom ? object : endpoint.applyDefaults(object);
}
/** Whether the served form of a version is the stored form. */
export function isStoredForm(endpoint: Endpoint): boolean {
  return endpoint.apiVersion === endpoint.stored.apiVersion && endpoint.schema === endpoint.stored.schema &&
    endpoint.served.fromStored === undefined;
}
/** An endpoint for objects that are already in its version: without conversion and defaults. */
export function unconverted(endpoint: Endpoint): Endpoint {
  return { ...endpoint, fromStored: (object) => object, applyDefaults: (object) => object };
}
/** Returns the compact JSON of the served object, without a final newline. */
export function servedJson(endpoint: Endpoint, item: Item): Part {
  return isStoredForm(endpoint) ? item.json : endpoint.encode(servedObject(endpoint, item));
}
