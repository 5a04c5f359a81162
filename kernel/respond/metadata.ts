/** The metadata of an item as PartialObjectMetadata. */
import { encoder } from "../../core/derive/encode.ts";
import { PartialObjectMetadata } from "../../core/meta/partial-object-metadata.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { RequestContext } from "../request-context.ts";
import type { Item } from "../objects/objects.ts";
import { isStoredForm, servedObject } from "../objects/served.ts";

const toBytes = new TextEncoder();
const toText = new TextDecoder();

/** `meta.<domain>/<version>`: the apiVersion of tables and partial object metadata. */
export function metaVersion(call: RequestContext, version: string): string {
  return `meta.${call.catalog.names.domain}/${version}`;
}

/** Returns the compact JSON of the PartialObjectMetadata of an item. `served`: its object in the version of the request, if it has to be read. */
export function partialText(
  call: RequestContext,
  item: Item,
  version: string,
  served = () => servedObject(call.endpoint, item),
): string {
  const { endpoint } = call;
  // Metadata of custom resources has another order in their own JSON.
  const metadata = isStoredForm(endpoint) && !endpoint.resource.custom ? item.metadataText : undefined;
  if (metadata === undefined) {
    const make = () => toBytes.encode(encoder(PartialObjectMetadata)(partialOf(call, served(), version)));
    return toText.decode(item.form(`partial ${endpoint.apiVersion} ${version}`, make));
  }
  return `{"kind":"PartialObjectMetadata","apiVersion":"${metaVersion(call, version)}","metadata":${metadata}}`;
}

/** Returns the PartialObjectMetadata of an item. */
export function partial(call: RequestContext, item: Item, version: string): ApiObject {
  return partialOf(call, servedObject(call.endpoint, item), version);
}

function partialOf(call: RequestContext, { metadata }: ApiObject, version: string): ApiObject {
  return { kind: "PartialObjectMetadata", apiVersion: metaVersion(call, version), metadata };
}
