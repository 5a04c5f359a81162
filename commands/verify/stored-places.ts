/** The kinds at the places of a store, and their objects. */
import { isEnvelope, readEnvelope } from "../../core/codec/protobuf.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StoredKind } from "../../kernel/catalog/catalog.ts";
import { placeOf } from "../../kernel/conversion/converted-kinds.ts";
import { apiVersionOf } from "../../kernel/conversion/stored-values.ts";
import { decodeStored } from "../../kernel/objects/objects.ts";
import { encryptionOf } from "../source/encrypted.ts";

/** Kinds by the beginning of their keys. */
export interface Places {
  /** The kinds at the place of a key; several if their versions are converted by a webhook. Undefined if there is none. */
  at(key: string): readonly StoredKind[] | undefined;
}

export function placesOf(kinds: readonly StoredKind[], prefix: string): Places {
  const places = new Map<string, StoredKind[]>();
  for (const kind of kinds) {
    if (kind.under === "") continue;
    const place = `${prefix}/${placeOf(kind)}/`;
    places.set(place, [...places.get(place) ?? [], kind]);
  }
  return {
    at(key) {
      for (let slash = key.lastIndexOf("/"); slash > prefix.length; slash = key.lastIndexOf("/", slash - 1)) {
        const found = places.get(key.slice(0, slash + 1));
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** A decoded object with the kind of the version in which it is stored, and that version if it is a custom resource. */
export interface ReadObject {
  readonly kind: StoredKind;
  readonly object: ApiObject;
  /** The version in the value; undefined for kinds that are built in. */
  readonly version: string | undefined;
}

/** Returns the object of a value at the place of these kinds. Throws if it cannot be read, or belongs to another key. */
export function readObject(kinds: readonly StoredKind[], prefix: string, key: string, value: Uint8Array): ReadObject {
  const first = kinds[0]!, encryption = encryptionOf(value); // `Places.at` returns no empty list.
  if (encryption !== undefined) {
    throw new Error(`the object stored under "${key}" cannot be read: it is encrypted by ${encryption.provider} with ${encryption.key}`);
  }
  const version = first.schema.whole === undefined ? undefined : versionOf(kinds, value);
  const kind = kinds.find(({ apiVersion }) => apiVersion === version) ?? first;
  const object = decodeStored(kind, key, value);
  const wrong = wrongPlace(kind, prefix, key, object, isEnvelope(value) ? readEnvelope(value).kind : object.kind);
  if (wrong !== undefined) throw new Error(`the object stored under "${key}" ${wrong}`);
  return { kind, object, version };
}

function wrongPlace(kind: StoredKind, prefix: string, key: string, { metadata }: ApiObject, writtenKind: string): string | undefined {
  const { name = "", namespace = "" } = metadata, place = `${prefix}/${placeOf(kind)}/`;
  if (!key.endsWith(`/${name}`)) return `has the name "${name}"`;
  if (kind.namespaced ? key !== `${place}${namespace}/${name}` : key !== `${place}${name}`) {
    return `has the namespace "${namespace}"${kind.namespaced ? "" : ", and its kind has none"}`;
  }
  if (!kind.namespaced && namespace !== "") return `has the namespace "${namespace}", and its kind has none`;
  return writtenKind === kind.resource.kind ? undefined : `has the kind "${writtenKind}": expected ${kind.resource.kind}`;
}

/** Returns the version in which a custom object is stored, by its first bytes if these are the server's own. */
function versionOf(kinds: readonly StoredKind[], value: Uint8Array): string | undefined {
  const isOf = ({ headBytes }: StoredKind) => headBytes.every((byte, index) => value[index] === byte);
  return kinds.find(isOf)?.apiVersion ?? apiVersionOf(value);
}
