/** What selectors and followers ask of an object, kept without the object and shared by all objects that answer alike. */
import { limits } from "../../../core/limits.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import type { Labels } from "../../../core/selectors/label.ts";
import type { Catalog, Endpoint, StoredKind } from "../../catalog/catalog.ts";

export interface Attributes {
  readonly labels: Labels;
  /** Values of selectable fields, by `attributeOf`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Owner references, finalizers and whether deletion was asked for, as text; empty where there is none of them. */
  readonly ownership: string;
}

export const noAttributes: Attributes = Object.freeze({ labels: Object.freeze({}), fields: Object.freeze({}), ownership: "" });

/** Field selectors belong to versions: each shows the object in its own form. */
export function attributeOf(endpoint: Endpoint, field: string): string {
  return `${endpoint.apiVersion} ${field}`;
}

/** Objects of a kind to their attributes, also to those of versions that are not served now: they may be before the object goes. */
export function attributesReader(kind: StoredKind, catalog: Catalog): (object: ApiObject) => Attributes {
  const fields = catalog.versionsOf(kind).flatMap((endpoint) =>
    Object.entries(endpoint.served.selectableFields ?? {}).map(([field, read]) => ({
      endpoint,
      attribute: attributeOf(endpoint, field),
      read,
    }))
  );
  let known = new Map<string, Attributes>();
  return (object) => {
    const { labels } = object.metadata;
    const ownership = ownershipOf(object);
    if (fields.length === 0 && labels === undefined && ownership === "") return noAttributes;
    const values: Record<string, string> = {};
    for (const { endpoint, attribute, read } of fields) values[attribute] = read(endpoint.fromStored(object));
    const attributes: Attributes = { labels: labels ?? noAttributes.labels, fields: values, ownership };
    const text = JSON.stringify([Object.entries(attributes.labels).sort(([a], [b]) => a < b ? -1 : 1), Object.values(values), ownership]);
    const shared = known.get(text);
    if (shared !== undefined) return shared;
    if (known.size >= limits.internedAttributesMax) known = new Map();
    known.set(text, attributes);
    return attributes;
  };
}

function ownershipOf({ metadata: { deletionTimestamp, finalizers, ownerReferences } }: ApiObject): string {
  if (deletionTimestamp === undefined && finalizers === undefined && ownerReferences === undefined) return "";
  return JSON.stringify([deletionTimestamp !== undefined, finalizers, ownerReferences]);
}
