/**
 * Converts an item to a served version of its kind, as an object or as JSON. The JSON is the stored text if the served form is the stored
 * form.
 */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { BodyPart } from "./chunks.ts";
import type { Item } from "./objects.ts";

/** Returns the object of an item in the version of the request. */
export function servedObject(endpoint: Endpoint, item: Item): ApiObject {
  return conversionOf(endpoint, item.object);
}
/** Does the same for a response that is encoded at once; see `Item.shortLived`. */
export function shortLivedObject(endpoint: Endpoint, item: Item): ApiObject {
  return conversionOf(endpoint, item.shortLived);
}
/**
 * Converts an object from the stored form to a served version. A custom resource keeps the defaults of its stored version, and gets no
 * others.
 */
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
/** Returns an endpoint for objects that are already in its version. It neither converts them nor sets defaults. */
export function unconverted(endpoint: Endpoint): Endpoint {
  return { ...endpoint, fromStored: (object) => object, applyDefaults: (object) => object };
}
/** Returns the compact JSON of the served object, without a final newline. */
export function servedJson(endpoint: Endpoint, item: Item): BodyPart {
  return isStoredForm(endpoint) ? item.json : endpoint.encode(servedObject(endpoint, item));
}
