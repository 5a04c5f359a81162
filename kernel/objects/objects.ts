/**
 * Stored objects, as requests use them. An Item is one entry of the store: the bytes, and the object, which is decoded at its first use.
 * Requests that share an item share the decoded object.
 */
import { exactJson } from "../../core/tree/exact-json.ts";
import { readStoredJson } from "../../core/tree/json.ts";
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
import { metadataRange, versionBytes, type VersionSlot, versionSlot } from "../../core/meta/version-slot.ts";
import type { Commit, Entry, Revision } from "../store/store.ts";

const toBytes = new TextEncoder();
const toText = new TextDecoder();
const noBytes = new Uint8Array();
const lineEnd = 0x0a, lineEndBytes = Uint8Array.of(lineEnd);
const magicProtobuf = [0x6b, 0x38, 0x73, 0x00];

/** Begins every value that is encrypted in a store, as in upstream: provider, version and name of the key follow. */
export const encryptedPrefix = "k8s:enc:";
const encryptedHead = toBytes.encode(encryptedPrefix);

/** The key of a form of an object: a text, or the value from which the form is made. */
export type FormKey = string | object;

/** The cached forms of an object, besides its stored bytes. */
export interface ServedSource {
  /** Returns the JSON of the object in one or more pieces. */
  pieces(): readonly Uint8Array[];
  /** Returns the stored bytes in pieces, if they are known. */
  stored?(): readonly Uint8Array[];
  /** Returns the decoded object if it is cached. Its resourceVersion may be any. */
  object?(): ApiObject | undefined;
  /** Keeps the decoded object for later readers. */
  keep?(object: ApiObject): void;
  /** Returns the bytes of the form `key`. `make` makes them if they are not cached. */
  form?(key: FormKey, make: () => Uint8Array): Uint8Array;
}

type Done = Commit & { readonly done: true };

/** One stored object. All of its values are shared and read-only. */
export class Item {
  readonly kind: StoredKind;
  readonly key: string;
  readonly revision: Revision;
  readonly #value: Uint8Array;
  #source: ServedSource | undefined;
  #object: ApiObject | undefined;
  #json: Uint8Array | undefined;
  #text: string | undefined;

  /** Makes an item from an entry. `object` is the decoded entry, if the caller has it already. */
  constructor(kind: StoredKind, entry: Entry, object?: ApiObject) {
    this.kind = kind;
    this.key = entry.key;
    this.revision = entry.revision;
    this.#value = entry.value;
    this.#object = object === undefined ? undefined : withRevision(object, entry.revision);
  }

  /** Makes the item of the object that a dry run would have stored. Its resourceVersion is the one that the client has sent, if any. */
  static unsaved(kind: StoredKind, key: string, object: ApiObject, resourceVersion?: string): Item {
    const item = new Item(kind, { key, revision: 0, value: noBytes });
    item.#object = resourceVersion === undefined
      ? withoutRevision(object)
      : { ...object, metadata: { ...object.metadata, resourceVersion } };
    return item;
  }

  /** Makes the item of a written `object`. The value of `entry` is the object's `storedBytes`. */
  static written(kind: StoredKind, entry: Entry, object: ApiObject): Item {
    const pieces = shownPieces(kind, entry.value, entry.revision);
    if (pieces === undefined) return new Item(kind, entry, object);
    return Item.served(kind, entry.key, entry.revision, { pieces: () => pieces, stored: () => [entry.value], object: () => object });
  }

  /** Makes the item of a committed object. `value` is its `storedBytes`. */
  static committed(kind: StoredKind, key: string, value: Uint8Array, commit: Done, object: ApiObject): Item {
    const { revision } = commit;
    return commit.value === undefined
      ? Item.written(kind, { key, value, revision }, object)
      : new Item(kind, { key, value: commit.value, revision });
  }

  /** Makes an item whose JSON is cached. */
  static served(kind: StoredKind, key: string, revision: Revision, source: ServedSource): Item {
    const item = new Item(kind, { key, revision, value: noBytes });
    item.#source = source;
    return item;
  }

  /** The object in the stored version, with defaults and its resourceVersion. */
  get object(): ApiObject {
    return this.#object ??= withRevision(
      this.#source?.object?.() ?? decodeStored(this.kind, this.key, this.#source === undefined ? this.#value : this.json),
      this.revision,
    );
  }
  /**
   * The same value as `object`, for readers that do not keep it. Canonical JSON is read by the engine's own parser; its sets of owned
   * fields are then not shared with other objects.
   */
  get shortLived(): ApiObject {
    const source = this.#source;
    if (source === undefined || this.#object !== undefined) return this.object;
    const cached = source.object?.();
    if (cached !== undefined) return this.#object = withRevision(cached, this.revision);
    return parsedCanonical(this.kind, source.pieces()) ?? this.object;
  }
  /** The same value as `object`, for readers of what many requests read: a cache keeps it decoded. */
  get kept(): ApiObject {
    const { object } = this;
    this.#source?.keep?.(object);
    return object;
  }
  /** Compact JSON of `object` without a final newline. */
  get text(): string {
    return this.#text ??= this.#source === undefined ? this.kind.encode(this.object) : toText.decode(this.json);
  }
  /** The same as `text`, in bytes. */
  get json(): Uint8Array {
    return this.#json ??= this.#source === undefined ? toBytes.encode(this.text) : concat(this.#source.pieces());
  }
  /**
   * The JSON of the metadata in `text`. Undefined if the text is not available without encoding, or does not begin with kind, version and
   * metadata.
   */
  get metadataText(): string | undefined {
    if (this.#source === undefined && this.#json === undefined) return undefined;
    const { headBytes } = this.kind, [head, body, ...more] = this.pieces;
    // A cached entry has two pieces: the head of its kind, and the rest.
    const inTwo = head === headBytes && body !== undefined && more.length === 0;
    const bytes = inTwo ? body : this.json;
    const range = metadataRange(bytes, inTwo ? 0 : headBytes.length);
    return range && toText.decode(bytes.subarray(...range));
  }
  /** Approximate size of `text` in bytes, without encoding it. */
  get size(): number {
    if (this.#source === undefined) return this.#value.length;
    let size = 0;
    for (const { length } of this.#source.pieces()) size += length;
    return size;
  }
  /** The bytes of `text`, in one or more pieces. */
  get pieces(): readonly Uint8Array[] {
    return this.#source === undefined || this.#json !== undefined ? [this.json] : this.#source.pieces();
  }
  /** The stored bytes, in one or more pieces. */
  get stored(): readonly Uint8Array[] {
    return this.#source === undefined ? [this.#value] : this.#source.stored?.() ?? [storedBytes(this.kind, this.object)];
  }
  /** Returns the bytes of another form. If the item is cached, they are made only once. */
  form(key: FormKey, make: () => Uint8Array): Uint8Array {
    return this.#source?.form?.(key, make) ?? make();
  }
}

/**
 * The key of a property of bytes that this process has encoded. Its value is the object, so that a reader of the same bytes need not decode
 * them. A WeakMap would do the same, but each of its entries costs the garbage collector as much as the metrics of a write.
 */
const written = Symbol("written");
interface WrittenBytes extends Uint8Array {
  [written]?: ApiObject | undefined;
}

/** Encodes an object for the store, without its resourceVersion. JSON gets a final newline. */
export function storedBytes(kind: StoredKind, object: ApiObject, encoding: StoredEncoding = "json"): Uint8Array {
  const { apiVersion, schema, fromStored, encode } = kind.written;
  const bare = fromStored(withoutRevision(object));
  const bytes: WrittenBytes = encoding === "cbor" ? binaryDocument("cbor", schema, bare) : toBytes.encode(encode(bare) + "\n");
  // An object of another version may lack fields, so its bytes are not marked.
  if (apiVersion === kind.apiVersion) bytes[written] = kind.emptyListsToNil(object);
  return bytes;
}

/** Removes and returns the object that `storedBytes` encoded as this same array, as decoding would return it; undefined for others. */
export function takeWritten(bytes: WrittenBytes): ApiObject | undefined {
  const object = bytes[written];
  if (object !== undefined) bytes[written] = undefined;
  return object;
}

const exactText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the object of bytes that are exactly what `storedBytes` would write of it in JSON. Returns undefined for other bytes; also for
 * some exact ones that it does not recognise.
 */
export function canonicalObject({ headBytes, isCanonical }: StoredKind, value: Uint8Array): ApiObject | undefined {
  for (let index = 0; index < headBytes.length; index++) if (value[index] !== headBytes[index]) return undefined;
  if (value.at(-1) !== lineEnd) return undefined;
  try {
    const object = exactJson(exactText.decode(value.subarray(0, -1)));
    return isCanonical(object) && object.metadata.resourceVersion === undefined ? object : undefined;
  } catch {
    return undefined; // the bytes are not UTF-8, or are nested too deeply
  }
}

/**
 * Returns the object of canonical JSON. The pieces must begin with the head of the kind and have no final newline. Undefined for other
 * texts.
 */
function parsedCanonical({ headBytes, isCanonical, isCanonicalBytes }: StoredKind, pieces: readonly Uint8Array[]): ApiObject | undefined {
  if (pieces[0] !== headBytes) return undefined;
  const line = concat([...pieces, lineEndBytes]), text = toText.decode(line);
  let read: ApiObject | undefined;
  if (isCanonicalBytes(line, (made) => read = made)) return read ?? JSON.parse(text) as ApiObject; // canonical JSON of the kind is its object
  const object = exactJson(text.slice(0, -1)); // of custom resources, whose schemas the scan of bytes does not know
  return isCanonical(object) ? object : undefined;
}

/**
 * Makes the JSON of a response from stored bytes, in pieces: with the resourceVersion and without the newline. Undefined for bytes that are
 * not in the form of our own JSON.
 */
export function shownPieces(kind: StoredKind, value: Uint8Array, revision: Revision): readonly Uint8Array[] | undefined {
  const slot = shownSlot(kind, value);
  return slot && [value.subarray(0, slot.at), versionBytes(slot, revision), value.subarray(slot.end, value.length - 1)];
}

/** The position of the resourceVersion in stored bytes, which lack it. Undefined for bytes that are not in the form of our own JSON. */
export function shownSlot({ headBytes }: StoredKind, value: Uint8Array): VersionSlot | undefined {
  for (let index = 0; index < headBytes.length; index++) if (value[index] !== headBytes[index]) return undefined;
  const slot = versionSlot(value, headBytes.length);
  return slot === undefined || slot.at !== slot.end ? undefined : slot;
}

/** Decodes stored bytes in any version of the kind to the current stored form, with defaults: JSON, or protobuf or CBOR by their first
 *  bytes. Throws an InternalError with the key for bytes that cannot be decoded. */
export function decodeStored(kind: StoredKind, key: string, value: Uint8Array): ApiObject {
  try {
    if (magicProtobuf.every((byte, index) => value[index] === byte)) {
      const { apiVersion, raw } = readEnvelope(value);
      const { schema, toStored } = formOf(kind, apiVersion);
      return toStored({ ...protobufReader(schema)(raw) as ApiObject, kind: kind.resource.kind, apiVersion });
    }
    if (encryptedHead.every((byte, index) => value[index] === byte)) {
      throw new Error("no provider of --encryption-provider-config reads it");
    }
    if (isCbor(value)) return ofItem(kind, readCbor(value));
    const read = readStoredJson(value);
    if (!read.ok) throw new Error(read.error);
    return ofTree(kind, read.tree);
  } catch (error) {
    const advice = error instanceof UnknownVersion ? unknownVersionAdvice : unreadableAdvice;
    throw internalError(`the object stored under "${key}" cannot be read: ${reasonOf(error)}; ${advice}`, error);
  }
}

/** Thrown if a value is stored in a version that the kind does not have. */
class UnknownVersion extends Error {}

/** The advice to the administrator for such a value. */
const unknownVersionAdvice = `it is not lost: a release with that version can read it and migrate it (${
  guide("objects-in-a-removed-version")
})`;
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
  if (form === undefined) throw new UnknownVersion(`no kind "${kind.resource.kind}" is known in version "${apiVersion}"`);
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

/** Returns the key of an object below the store's prefix, in upstream's layout. */
export function keyOf(prefix: string, kind: StoredKind, namespace: string, name: string): string {
  return kind.namespaced ? `${prefix}/${kind.under}/${namespace}/${name}` : `${prefix}/${kind.under}/${name}`;
}
/** Returns the common prefix of the keys of a collection. The empty namespace stands for all namespaces. */
export function keysOf(prefix: string, kind: StoredKind, namespace: string): string {
  return kind.namespaced && namespace !== "" ? `${prefix}/${kind.under}/${namespace}/` : `${prefix}/${kind.under}/`;
}
