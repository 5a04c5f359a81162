/**
 * Entries of the cache: the JSON of an object as lists contain it, laid into a slab, with the object's attributes. An object is
 * decoded once, when it enters the cache, unless this server has just encoded it. The decoded object is not kept.
 */
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import type { StoredKind } from "../../catalog/catalog.ts";
import { canonicalObject, decodeStored, Item, shownPieces, shownSlot, takeWritten, withRevision } from "../../objects/objects.ts";
import { versionBytes, versionMember, versionSlot } from "../../../core/meta/version-slot.ts";
import type { Revision } from "../../store/store.ts";
import { Forms } from "./forms.ts";
import type { RecentObjects } from "./recent-objects.ts";
import { takeAttributes } from "./offered-attributes.ts";
import type { Place, Slabs } from "./slabs.ts";
import type { Attributes, AttributesReader } from "./attributes.ts";

/** One object. Its slab holds `{"metadata":{...},...}` without the head that all objects of the kind share. */
export interface CachedEntry extends Place {
  readonly key: string;
  readonly revision: Revision;
  readonly attributes: Attributes;
  /** Whether the stored bytes are JSON and equal to what would be stored now. They can then be rebuilt from the entry. */
  readonly asStored: boolean;
}

/** The dependencies of entries of one kind. */
export interface EntryMaker {
  readonly kind: StoredKind;
  readonly slabs: Slabs;
  readonly attributes: AttributesReader;
  readonly forms: Forms;
  readonly recent: RecentObjects;
}

const toBytes = new TextEncoder();
const brace = toBytes.encode("{"), lineEnd = toBytes.encode("\n");

export function entryMaker(
  kind: StoredKind,
  slabs: Slabs,
  recent: RecentObjects,
  attributes: AttributesReader,
): EntryMaker {
  return { kind, slabs, attributes, forms: new Forms(), recent };
}

/**
 * Makes the cache's entry from stored bytes.
 *
 * @throws StatusError InternalError if the bytes cannot be decoded
 */
export function makeEntry(maker: EntryMaker, key: string, revision: Revision, value: Uint8Array): CachedEntry {
  const { kind, slabs, recent } = maker;
  const own = takeWritten(value);
  const slot = own === undefined ? shownSlot(kind, value) : undefined;
  const attributes = slot && (takeAttributes(value) ?? canonicalAttributes(maker, value));
  if (attributes !== undefined) {
    const { open, close, at } = slot!; // attributes are read only with a slot
    const place = slabs.layInserted(brace, value, kind.headBytes.length, at, open + revision + close);
    const entry = entryAt(place, key, revision, attributes, true);
    slabs.keep(entry);
    return entry;
  }
  const spliced = own === undefined ? undefined : splice(maker, value, own, revision);
  const object = spliced === undefined ? decodeStored(kind, key, value) : own!;
  const place = spliced === undefined
    ? slabs.layText(brace, bodyOf(kind.encode(withRevision(object, revision)), kind.head))
    : slabs.lay(spliced);
  const asStored = spliced !== undefined || isJoined(value, storedParts(maker, place));
  const entry = entryAt(place, key, revision, maker.attributes.of(object), asStored);
  slabs.keep(entry);
  if (spliced !== undefined) recent.keep(entry, object);
  return entry;
}

function entryAt({ slab, offset, length }: Place, key: string, revision: Revision, attributes: Attributes, asStored: boolean): CachedEntry {
  return { key, revision, attributes, asStored, slab, offset, length, live: true, index: -1 };
}

/** Reads the attributes of bytes with the head of the kind; undefined if decoding and encoding could change these bytes. */
function canonicalAttributes({ kind, attributes }: EntryMaker, value: Uint8Array): Attributes | undefined {
  let read: ApiObject | undefined;
  if (kind.isCanonicalBytes(value, (object) => read = object)) {
    return read === undefined ? attributes.ofCanonical(value) : attributes.of(read);
  }
  const object = canonicalObject(kind, value);
  return object && attributes.of(object);
}

/**
 * Bytes that `storedBytes` has made of an object with defaults equal, but for the resourceVersion, what decoding, defaults and encoding
 * would give. Undefined if the bytes may be others.
 */
function splice({ kind }: EntryMaker, value: Uint8Array, object: ApiObject, revision: Revision): readonly Uint8Array[] | undefined {
  if (kind.applyDefaults(object) !== object) return undefined;
  const pieces = shownPieces(kind, value, revision);
  return pieces && bodyOfShown(kind, pieces);
}
function bodyOfShown({ headBytes }: StoredKind, pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  return [brace, pieces[0]!.subarray(headBytes.length), ...pieces.slice(1)];
}

function bodyOf(json: string, head: string): string {
  if (!json.startsWith(head)) throw new Error("JSON of an object begins with its kind and version");
  return json.slice(head.length);
}

/** Whether an entry holds these bytes as they are stored. */
export function holds(maker: EntryMaker, entry: CachedEntry, value: Uint8Array): boolean {
  return entry.asStored && isJoined(value, storedParts(maker, entry));
}

/** Returns the JSON bytes that the store would hold for the object at this place, in parts. */
function storedParts({ kind: { headBytes } }: EntryMaker, place: Place): readonly Uint8Array[] {
  const body = bodyBytes(place);
  const [from, to] = versionMember(body, 0);
  return [headBytes, body.subarray(0, from), body.subarray(to), lineEnd];
}

/** Whether the bytes equal the concatenation of the parts. */
function isJoined(bytes: Uint8Array, parts: readonly Uint8Array[]): boolean {
  let at = 0;
  for (const part of parts) {
    for (let index = 0; index < part.length; index++, at++) if (bytes[at] !== part[index]) return false;
  }
  return at === bytes.length;
}

/** The bytes of an entry after the head of its kind. */
export function bodyBytes({ slab, offset, length }: Place): Uint8Array {
  return slab.bytes.subarray(offset + 1, offset + length);
}

/** The entry as a list item; `at` shows it with a later revision, as deletions do. */
export function itemOf(maker: EntryMaker, entry: CachedEntry, at: Revision = entry.revision): Item {
  const { kind, forms, recent } = maker;
  return Item.served(kind, entry.key, at, {
    pieces: () => [kind.headBytes, ...bodyParts(entry, at)],
    object: () => recent.get(entry),
    ...(at === entry.revision ? { keep: (object) => void (entry.live && recent.keep(entry, object)) } : {}),
    ...(entry.asStored ? { stored: () => storedParts(maker, entry) } : {}),
    ...(at === entry.revision ? { form: (key, make) => forms.get(entry, key, make) } : {}),
  });
}

/** Returns the bytes after the head. If `at` is not the entry's own revision, they show `at` as the resourceVersion. */
export function bodyParts(entry: CachedEntry, at: Revision): readonly Uint8Array[] {
  const body = bodyBytes(entry);
  if (at === entry.revision) return [body];
  const slot = versionSlot(body, 0);
  if (slot === undefined) throw new Error(`The entry "${entry.key}" has no metadata at its beginning`);
  return [body.subarray(0, slot.at), versionBytes(slot, at), body.subarray(slot.end)];
}
