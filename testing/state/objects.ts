/** The objects in the store of a server. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import type { Catalog, StoredKind } from "../../kernel/catalog/catalog.ts";
import { decodeStored, withRevision } from "../../kernel/objects/objects.ts";
import type { Entry } from "../../kernel/store/store.ts";

/** An entry of the store, with its kind. */
export interface StoredObject {
  readonly kind: StoredKind;
  readonly entry: Entry;
}

/** Returns the entries that belong to kinds of the catalog, in the order of their keys. Counters and the like are left out. */
export function storedObjects(entries: readonly Entry[], prefix: string, { stored }: Pick<Catalog, "stored">): readonly StoredObject[] {
  const kinds = new Map(stored.map((kind) => [`${prefix}/${kind.under}/`, kind]));
  return entries.flatMap((entry) => {
    const kind = kindAt(entry.key, prefix, kinds);
    return kind === undefined ? [] : [{ kind, entry }];
  });
}

function kindAt(key: string, prefix: string, kinds: ReadonlyMap<string, StoredKind>): StoredKind | undefined {
  for (let slash = key.lastIndexOf("/"); slash > prefix.length; slash = key.lastIndexOf("/", slash - 1)) {
    const found = kinds.get(key.slice(0, slash + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The object of an entry as JSON, in the version in which it is stored. */
export function objectOf({ kind, entry: { key, value, revision } }: StoredObject): ApiObject {
  return plainJson(kind.encode(withRevision(decodeStored(kind, key, value), revision))) as unknown as ApiObject; // JSON of an object
}
