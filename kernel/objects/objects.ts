/**
 * Stored objects on their way to clients. An Item is one entry of the store as its kind shows it: bytes first, the
 * object itself at its first use. What two requests share is never decoded twice.
 */
import { readJson } from "../../core/tree/json.ts";
import { CborBytes, type CborItem, memberOf } from "../../core/codec/cbor/item.ts";
import { isCbor, readCbor } from "../../core/codec/cbor/read.ts";
import { readEnvelope } from "../../core/codec/protobuf.ts";
import { protobufReader } from "../../core/derive/protobuf.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { internalError } from "../../core/status-error.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { binaryDocument } from "./binary.ts";
import { concat } from "./chunks.ts";
import { guide } from "../../core/guide.ts";
import { ignoreReadErrorsField } from "../request/ignore-read-errors.ts";
import type { StoredEncoding, StoredForm, StoredKind } from "../catalog/catalog.ts";
import { versionBytes, versionSlot } from "./splice.ts";
import type { Entry, Revision } from "../store/store.ts";

const toBytes = new TextEncoder();
const toText = new TextDecoder();
const noBytes = new Uint8Array();
const magicProtobuf = [0x6b, 0x38, 0x73, 0x00];

/** What is remembered of an object beside its bytes as stored. */
export interface ServedSource {
  /** Its JSON, in the pieces in which it lies. */
  pieces(): readonly Uint8Array[];
  /** The stored bytes in their pieces, where they are known. */
  stored?(): readonly Uint8Array[];
  /** The object, where it is remembered, whatever its resourceVersion says. */
  object?(): ApiObject | undefined;
  /** Its bytes in a form that has this name, made where there are none yet. */
  form?(name: string, make: () => Uint8Array): Uint8Array;
}

/** One stored object. Everything that it gives is shared and read-only. */
export class Item {
  readonly kind: StoredKind;
  readonly key: string;
  readonly revision: Revision;
  readonly #value: Uint8Array;
  #source: ServedSource | undefined;
  #object: ApiObject | undefined;
  #json: Uint8Array | undefined;
  #text: string | undefined;

  /** `entry` as stored; `object` where the caller has it already. */
  constructor(kind: StoredKind, entry: Entry, object?: ApiObject) {
    this.kind = kind;
    this.key = entry.key;
    this.revision = entry.revision;
    this.#value = entry.value;
    this.#object = object === undefined ? undefined : withRevision(object, entry.revision);
  }

  /** What a dry run would have stored: an object that has no revision but the one that its client sent, if any. */
  static unsaved(kind: StoredKind, key: string, object: ApiObject, resourceVersion?: string): Item {
    const item = new Item(kind, { key, revision: 0, value: noBytes });
    item.#object = resourceVersion === undefined
      ? withoutRevision(object)
      : { ...object, metadata: { ...object.metadata, resourceVersion } };
    return item;
  }

  /** What has just been written: `storedBytes` of `object`. */
  static written(kind: StoredKind, entry: Entry, object: ApiObject): Item {
    const pieces = shownPieces(kind, entry.value, entry.revision);
    if (pieces === undefined) return new Item(kind, entry, object);
    return Item.served(kind, entry.key, entry.revision, { pieces: () => pieces, stored: () => [entry.value], object: () => object });
  }

  /** An item whose `json` is at hand already. */
  static served(kind: StoredKind, key: string, revision: Revision, source: ServedSource): Item {
    const item = new Item(kind, { key, revision, value: noBytes });
    item.#source = source;
    return item;
  }

  /** In the stored version, filled, with its resourceVersion. */
  get object(): ApiObject {
    return this.#object ??= withRevision(
      this.#source?.object?.() ?? decodeStored(this.kind, this.key, this.#source === undefined ? this.#value : this.json),
      this.revision,
    );
  }
  /** Compact JSON of `object` without a final newline. */
  get text(): string {
    return this.#text ??= this.#source === undefined ? this.kind.encode(this.object) : toText.decode(this.json);
  }
  /** `text` as bytes. */
  get json(): Uint8Array {
    return this.#json ??= this.#source === undefined ? toBytes.encode(this.text) : concat(this.#source.pieces());
  }
  /** Bytes of `text`, or about as many: nothing is made to count them. */
  get size(): number {
    if (this.#source === undefined) return this.#value.length;
    let size = 0;
    for (const { length } of this.#source.pieces()) size += length;
    return size;
  }
  /** The bytes of `text`, in pieces where they lie in pieces. */
  get pieces(): readonly Uint8Array[] {
    return this.#source === undefined || this.#json !== undefined ? [this.json] : this.#source.pieces();
  }
  /** What the store holds of it, in the pieces in which it lies. */
  get stored(): readonly Uint8Array[] {
    return this.#source === undefined ? [this.#value] : this.#source.stored?.() ?? [storedBytes(this.kind, this.object)];
  }
  /** Bytes that show it in another form, made once where the item is remembered. */
  form(name: string, make: () => Uint8Array): Uint8Array {
    return this.#source?.form?.(name, make) ?? make();
  }
}

/**
 * Objects by the bytes that were made of them here, for whoever comes upon the same bytes again. Bytes that are gone take
 * their objects with them.
 */
const written = new WeakMap<Uint8Array, ApiObject>();

/** The object in the form that the store keeps: without a resourceVersion; JSON with a final newline. */
export function storedBytes(kind: StoredKind, object: ApiObject, encoding: StoredEncoding = "json"): Uint8Array {
  const bare = withoutRevision(object);
  const bytes = encoding === "cbor" ? binaryDocument("cbor", kind.schema, bare) : toBytes.encode(kind.encode(bare) + "\n");
  written.set(bytes, kind.emptyListsToNil(object));
  return bytes;
}

/** The object that `storedBytes` made these very bytes of, as they would be read, once; undefined for bytes from elsewhere. */
export function takeWritten(bytes: Uint8Array): ApiObject | undefined {
  const object = written.get(bytes);
  if (object !== undefined) written.delete(bytes);
  return object;
}

/**
 * What `storedBytes` has made of an object, as it is shown: with its resourceVersion and without the newline, in pieces. Undefined for
 * bytes that are not as we write JSON.
 */
export function shownPieces({ headBytes }: StoredKind, value: Uint8Array, revision: Revision): readonly Uint8Array[] | undefined {
  for (let index = 0; index < headBytes.length; index++) if (value[index] !== headBytes[index]) return undefined;
  const slot = versionSlot(value, headBytes.length);
  if (slot === undefined || slot.at !== slot.end) return undefined;
  return [value.subarray(0, slot.at), versionBytes(slot, revision), value.subarray(slot.end, value.length - 1)];
}

/** Stored bytes to the object in the form that is stored now: JSON, or protobuf or CBOR by their first bytes, in whichever
 *  version of the kind; filled. Bytes that cannot be read are an internal error that names the key. */
export function decodeStored(kind: StoredKind, key: string, value: Uint8Array): ApiObject {
  try {
    if (magicProtobuf.every((byte, index) => value[index] === byte)) {
      const { apiVersion, raw } = readEnvelope(value);
      const { schema, toStored } = formOf(kind, apiVersion);
      return toStored({ ...protobufReader(schema)(raw) as ApiObject, kind: kind.resource.kind, apiVersion });
    }
    if (isCbor(value)) return ofItem(kind, readCbor(value));
    const read = readJson(value);
    if (!read.ok) throw new Error(read.error);
    return ofTree(kind, read.tree);
  } catch (error) {
    throw internalError(
      `the object stored under "${key}" cannot be read: ${reasonOf(error)}; ${unreadableAdvice}`,
      error,
    );
  }
}

/** What an administrator does about it. */
const unreadableAdvice = "to delete it without its finalizers, switch the feature gate AllowUnsafeMalformedObjectDeletion on and send a " +
  `DELETE with ?${ignoreReadErrorsField}=true (${guide("objects-that-cannot-be-read")})`;

function ofTree(kind: StoredKind, tree: Tree): ApiObject {
  const apiVersion = tree instanceof TreeObject ? tree.get("apiVersion") : undefined;
  const { decode, toStored } = formOf(kind, typeof apiVersion === "string" ? apiVersion : kind.apiVersion);
  return toStored(decode(tree));
}
function ofItem(kind: StoredKind, item: CborItem): ApiObject {
  const written = memberOf(item, "apiVersion");
  const apiVersion = written instanceof CborBytes ? written.text : written;
  const { decodeCbor, toStored } = formOf(kind, typeof apiVersion === "string" ? apiVersion : kind.apiVersion);
  return toStored(decodeCbor(item));
}
function formOf(kind: StoredKind, apiVersion: string): StoredForm {
  const form = kind.storedForm(apiVersion);
  if (form === undefined) throw new Error(`no kind "${kind.resource.kind}" is known in version "${apiVersion}"`);
  return form;
}

export function withRevision(object: ApiObject, revision: Revision): ApiObject {
  const resourceVersion = String(revision);
  return object.metadata.resourceVersion === resourceVersion ? object : { ...object, metadata: { ...object.metadata, resourceVersion } };
}
export function withoutRevision(object: ApiObject): ApiObject {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The key of an object below the store's prefix, as upstream lays keys out. */
export function keyOf(prefix: string, kind: StoredKind, namespace: string, name: string): string {
  return kind.namespaced ? `${prefix}/${kind.under}/${namespace}/${name}` : `${prefix}/${kind.under}/${name}`;
}
/** What all keys of a collection begin with; the empty namespace means all of them. */
export function keysOf(prefix: string, kind: StoredKind, namespace: string): string {
  return kind.namespaced && namespace !== "" ? `${prefix}/${kind.under}/${namespace}/` : `${prefix}/${kind.under}/`;
}
