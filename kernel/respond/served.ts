/** An item as a version of its kind shows it: an object, its JSON, its metadata alone. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { RequestContext } from "../request-context.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { Part } from "../objects/chunks.ts";
import type { Item } from "../objects/objects.ts";

/** The object of an item in the version of the request. */
export function servedObject(endpoint: Endpoint, item: Item): ApiObject {
  return conversionOf(endpoint, item.object);
}
/** An object in the stored form as a version shows it. */
export function conversionOf(endpoint: Endpoint, stored: ApiObject): ApiObject {
  return isStoredForm(endpoint) ? stored : endpoint.applyDefaults(endpoint.fromStored(stored));
}
/** Whether a version shows objects as they are stored. */
export function isStoredForm(endpoint: Endpoint): boolean {
  return endpoint.apiVersion === endpoint.stored.apiVersion && endpoint.schema === endpoint.stored.schema &&
    endpoint.served.fromStored === undefined;
}
/** An endpoint for objects that are in its version already: nothing is converted, and nothing filled in. */
export function unconverted(endpoint: Endpoint): Endpoint {
  return { ...endpoint, fromStored: (object) => object, applyDefaults: (object) => object };
}
/** Its compact JSON without a final newline. */
export function servedJson(endpoint: Endpoint, item: Item): Part {
  return isStoredForm(endpoint) ? item.json : endpoint.encode(servedObject(endpoint, item));
}

/** `meta.<domain>/<version>`: of what lists and objects are transformed into. */
export function metaVersion(call: RequestContext, version: string): string {
  return `meta.${call.catalog.names.domain}/${version}`;
}

/** An object's metadata as an object of its own. */
export function partial(call: RequestContext, item: Item, version: string): ApiObject {
  return { kind: "PartialObjectMetadata", apiVersion: metaVersion(call, version), metadata: servedObject(call.endpoint, item).metadata };
}
