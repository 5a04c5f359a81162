/** An item in a served version of its kind: as an object, as JSON, or its metadata only. */
import { encoder } from "../../core/derive/encode.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { RequestContext } from "../request-context.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { Part } from "../objects/chunks.ts";
import type { Item } from "../objects/objects.ts";

const toBytes = new TextEncoder();
const toText = new TextDecoder();

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

/** `meta.<domain>/<version>`: the apiVersion of tables and partial object metadata. */
export function metaVersion(call: RequestContext, version: string): string {
  return `meta.${call.catalog.names.domain}/${version}`;
}

/** Returns the compact JSON of the PartialObjectMetadata of an item. */
export function partialText(call: RequestContext, item: Item, version: string): string {
  const { endpoint } = call;
  // Metadata of custom resources has another order in their own JSON.
  const metadata = isStoredForm(endpoint) && !endpoint.resource.custom ? item.metadataText : undefined;
  if (metadata === undefined) {
    const make = () => toBytes.encode(encoder(PartialObjectMetadata)(partial(call, item, version)));
    return toText.decode(item.form(`partial ${endpoint.apiVersion} ${version}`, make));
  }
  return `{"kind":"PartialObjectMetadata","apiVersion":"${metaVersion(call, version)}","metadata":${metadata}}`;
}

/** Returns the PartialObjectMetadata of an item. */
export function partial(call: RequestContext, item: Item, version: string): ApiObject {
  return { kind: "PartialObjectMetadata", apiVersion: metaVersion(call, version), metadata: servedObject(call.endpoint, item).metadata };
}
