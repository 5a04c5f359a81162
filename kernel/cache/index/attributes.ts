/** What selectors and followers ask of an object, kept without the object and shared by all objects that answer alike. */
import { limits } from "../../../core/limits.ts";
import type { ApiObject } from "../../../core/plugin.ts";
import type { Labels } from "../../../core/selectors/label.ts";
import type { Catalog, Endpoint, StoredKind } from "../../catalog/catalog.ts";

export interface Traits {
  readonly labels: Labels;
  /** Values of selectable fields, by `traitOf`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Owner references, finalizers and whether deletion was asked for, as text; empty where there is none of them. */
  readonly ownership: string;
}

export const noTraits: Traits = Object.freeze({ labels: Object.freeze({}), fields: Object.freeze({}), ownership: "" });

/** Field selectors belong to versions: each shows the object in its own form. */
export function traitOf(endpoint: Endpoint, field: string): string {
  return `${endpoint.apiVersion} ${field}`;
}

/** Objects of a kind to their traits, also to those of versions that are not served now: they may be before the object goes. */
export function traitsReader(kind: StoredKind, catalog: Catalog): (object: ApiObject) => Traits {
  const fields = catalog.versionsOf(kind).flatMap((endpoint) =>
    Object.entries(endpoint.served.selectableFields ?? {}).map(([field, read]) => ({ endpoint, trait: traitOf(endpoint, field), read }))
  );
  let known = new Map<string, Traits>();
  return (object) => {
    const { labels } = object.metadata;
    const ownership = ownershipOf(object);
    if (fields.length === 0 && labels === undefined && ownership === "") return noTraits;
    const values: Record<string, string> = {};
    for (const { endpoint, trait, read } of fields) values[trait] = read(endpoint.fromStored(object));
    const traits: Traits = { labels: labels ?? noTraits.labels, fields: values, ownership };
    const text = JSON.stringify([Object.entries(traits.labels).sort(([a], [b]) => a < b ? -1 : 1), Object.values(values), ownership]);
    const shared = known.get(text);
    if (shared !== undefined) return shared;
    if (known.size >= limits.internedTraitsMax) known = new Map();
    known.set(text, traits);
    return traits;
  };
}

function ownershipOf({ metadata: { deletionTimestamp, finalizers, ownerReferences } }: ApiObject): string {
  if (deletionTimestamp === undefined && finalizers === undefined && ownerReferences === undefined) return "";
  return JSON.stringify([deletionTimestamp !== undefined, finalizers, ownerReferences]);
}
