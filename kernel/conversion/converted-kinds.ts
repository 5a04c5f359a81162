/** Finds the kinds whose stored objects are converted by calls, and maps their keys. Each version of such a kind has keys of its own. */
import type { StoredConversion } from "../../core/conversion.ts";
import type { Catalog, StoredKind } from "../catalog/catalog.ts";

/** One version of a kind whose stored objects are converted by calls. */
export interface ConvertedKind {
  readonly kind: StoredKind;
  readonly conversion: StoredConversion;
  /** All versions by their apiVersion. */
  readonly versions: ReadonlyMap<string, StoredKind>;
}

/** The character that marks the keys of these kinds. No group, plural or version contains it. */
const mark = "@";
const none: ReadonlyMap<string, ConvertedKind> = new Map();
const tables = new WeakMap<Catalog, ReadonlyMap<string, ConvertedKind>>();

/** Returns the kinds with converted versions by `storedUnder`. Usually there are none. */
export function convertedKinds(catalog: Catalog): ReadonlyMap<string, ConvertedKind> {
  const known = tables.get(catalog);
  if (known !== undefined) return known;
  const byConversion = new Map<StoredConversion, Map<string, StoredKind>>();
  for (const kind of catalog.stored) {
    const { conversion } = kind.resource;
    if (conversion === undefined) continue;
    const versions = byConversion.get(conversion) ?? new Map<string, StoredKind>();
    byConversion.set(conversion, versions.set(kind.apiVersion, kind));
  }
  const table = new Map<string, ConvertedKind>();
  for (const [conversion, versions] of byConversion) {
    for (const kind of versions.values()) table.set(kind.under, { kind, conversion, versions });
  }
  tables.set(catalog, table.size === 0 ? none : table);
  return table;
}

/** A key or prefix of a converted kind. */
export interface ConvertedKey extends ConvertedKind {
  /** The key under which the store has the object. */
  readonly stored: string;
}

/** Returns the converted kind to which a key belongs; undefined for keys of other kinds. `prefix` is the prefix of all keys. */
export function convertedKey(table: ReadonlyMap<string, ConvertedKind>, prefix: string, key: string): ConvertedKey | undefined {
  if (table.size === 0) return undefined;
  const at = key.indexOf(mark, prefix.length);
  if (at < 0) return undefined;
  const end = key.indexOf("/", at);
  const found = end < 0 ? undefined : table.get(key.slice(prefix.length + 1, end));
  return found && { ...found, stored: storedKey(prefix, found, key) };
}

/** Returns the store's key of an object, from the key in the version of the kind. */
export function storedKey(prefix: string, { kind, conversion }: ConvertedKind, key: string): string {
  return `${prefix}/${conversion.under}${key.slice(prefix.length + 1 + kind.under.length)}`;
}
/** Returns the key in the version of the kind, from the store's key. */
export function servedKey(prefix: string, { kind, conversion }: ConvertedKind, key: string): string {
  return `${prefix}/${kind.under}${key.slice(prefix.length + 1 + conversion.under.length)}`;
}

/** The key segments below the prefix that the store has for a kind. */
export function placeOf({ under, resource }: StoredKind): string {
  return resource.conversion?.under ?? under;
}
