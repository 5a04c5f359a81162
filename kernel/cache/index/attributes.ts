/** The attributes that selectors and subscribers evaluate, kept without the object and shared by all objects with equal attributes. */
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import type { Labels } from "../../../core/selectors/label.ts";
import type { Catalog, Endpoint, StoredKind } from "../../catalog/catalog.ts";
import { metadataMembers } from "../../../core/meta/version-slot.ts";
import { valueText } from "../../../core/value-text.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of entries of the intern table of labels and fields. When it is full, a new table starts. */
const internedAttributesMax = bound(10_000);

export interface Attributes {
  readonly labels: Labels;
  /** Values of selectable fields, keyed by `attributeOf`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Owner references, finalizers and whether deletion was requested, as one text; empty if the object has none of them. */
  readonly ownership: string;
}

export const noAttributes: Attributes = Object.freeze({ labels: Object.freeze({}), fields: Object.freeze({}), ownership: "" });

/** Returns the attribute name of a selectable field. The name includes the version, because each version has its own form of the object. */
export function attributeOf(endpoint: Endpoint, field: string): string {
  return `${endpoint.apiVersion} ${field}`;
}

export interface AttributesReader {
  of(object: ApiObject): Attributes;
  /** Returns the attributes of JSON that `isCanonicalBytes` of the kind has recognised. It reads only as much of the object as it needs. */
  ofCanonical(value: Uint8Array): Attributes;
}

const toBytes = new TextEncoder(), toText = new TextDecoder();
/** The members of metadata from which attributes are made, besides selectable fields. */
const ownMembers = ["deletionTimestamp", "labels", "ownerReferences", "finalizers"].map((name) => toBytes.encode(name));

/** Makes a reader of the attributes of objects of a kind. It covers all versions: one that is not served now may be served later. */
export function attributesReader(kind: StoredKind, catalog: Catalog): AttributesReader {
  const fields = catalog.versionsOf(kind).flatMap((endpoint) =>
    Object.entries(endpoint.served.selectableFields ?? {}).map(([field, read]) => ({
      endpoint,
      attribute: attributeOf(endpoint, field),
      read,
    }))
  );
  let known = new Map<string, Attributes>();
  function of(object: ApiObject): Attributes {
    const { labels } = object.metadata;
    const ownership = ownershipOf(object);
    if (fields.length === 0 && labels === undefined && ownership === "") return noAttributes;
    const values: Record<string, string> = {};
    for (const { endpoint, attribute, read } of fields) values[attribute] = read(endpoint.fromStored(object));
    const text = valueText([Object.entries(labels ?? {}).sort(([a], [b]) => a < b ? -1 : 1), Object.values(values), ownership]);
    const shared = known.get(text);
    if (shared !== undefined) return shared;
    if (known.size >= internedAttributesMax) known = new Map();
    // Read again: a text that was cut out of the object's document would keep all of that in memory.
    const [ownLabels, texts] = JSON.parse(text), own = labels === undefined ? noAttributes.labels : Object.fromEntries(ownLabels);
    Object.keys(values).forEach((attribute, index) => values[attribute] = texts[index]);
    const attributes: Attributes = { labels: own, fields: values, ownership };
    known.set(text, attributes);
    return attributes;
  }
  return {
    of,
    ofCanonical(value) {
      if (fields.length > 0) return of(JSON.parse(toText.decode(value))); // of an object of the kind
      const found = metadataMembers(value, kind.headBytes.length, ownMembers);
      if (found.length === 0) return noAttributes;
      const metadata = JSON.parse(`{${found.map((range) => toText.decode(value.subarray(...range))).join(",")}}`);
      return of({ kind: kind.resource.kind, apiVersion: kind.apiVersion, metadata });
    },
  };
}

const uidName = [toBytes.encode("uid")];
/** The uid in the bytes of an entry, which begin with its metadata; "" if it has none. */
export function uidOf(body: Uint8Array): string {
  const [range] = metadataMembers(body, 0, uidName);
  return range === undefined ? "" : JSON.parse(`{${toText.decode(body.subarray(...range))}}`).uid;
}

function ownershipOf({ metadata: { deletionTimestamp, finalizers, ownerReferences } }: ApiObject): string {
  if (deletionTimestamp === undefined && finalizers === undefined && ownerReferences === undefined) return "";
  return valueText([deletionTimestamp !== undefined, finalizers, ownerReferences]);
}
