/**
 * Finds the position of `resourceVersion` in the JSON of an object that this server encoded: in metadata, after name, generateName,
 * namespace, selfLink and uid, which are strings.
 */

export interface VersionSlot {
  /** Index of the first byte that is replaced. */
  readonly at: number;
  /** Index after the last byte that is replaced; equal to `at` if there is no resourceVersion yet. */
  readonly end: number;
  /** The texts before and after the version. */
  readonly open: string;
  readonly close: string;
}

const toBytes = new TextEncoder();
const metadata = toBytes.encode('"metadata":{');
const before: readonly Uint8Array[] = ["name", "generateName", "namespace", "selfLink", "uid"].map((name) => toBytes.encode(name));
const own = toBytes.encode("resourceVersion");
const key = '"resourceVersion":"';
const QUOTE = 0x22, COMMA = 0x2c, COLON = 0x3a, BACKSLASH = 0x5c, OPEN = 0x7b, CLOSE = 0x7d, OPEN_LIST = 0x5b, CLOSE_LIST = 0x5d;

/** Returns the slot in the metadata that begins at `from`; undefined if the bytes there are not written as this server writes metadata. */
export function versionSlot(json: Uint8Array, from: number): VersionSlot | undefined {
  for (let index = 0; index < metadata.length; index++) if (json[from + index] !== metadata[index]) return undefined;
  let at = from + metadata.length;
  if (json[at] === CLOSE) return { at, end: at, open: key, close: '"' };
  for (;;) {
    const keyEnd = endOfString(json, at);
    if (keyEnd < 0 || json[keyEnd] !== COLON) return undefined;
    const isOwn = isAt(json, at + 1, keyEnd - 1, own);
    if (!isOwn && !isBefore(json, at + 1, keyEnd - 1)) return { at, end: at, open: key, close: '",' };
    const valueEnd = endOfString(json, keyEnd + 1);
    if (valueEnd < 0) return undefined;
    if (isOwn) return { at: keyEnd + 2, end: valueEnd - 1, open: "", close: "" };
    if (json[valueEnd] === CLOSE) return { at: valueEnd, end: valueEnd, open: `,${key}`, close: '"' };
    if (json[valueEnd] !== COMMA) return undefined;
    at = valueEnd + 1;
  }
}

/** Whether the key from `from` to `to` comes before resourceVersion. */
function isBefore(json: Uint8Array, from: number, to: number): boolean {
  for (const name of before) if (isAt(json, from, to, name)) return true;
  return false;
}
function isAt(json: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  if (to - from !== name.length) return false;
  for (let index = 0; index < name.length; index++) if (json[from + index] !== name[index]) return false;
  return true;
}

/** Returns the range of the member resourceVersion, including one comma. Throws if there is none. */
export function versionMember(json: Uint8Array, from: number): readonly [from: number, to: number] {
  const slot = versionSlot(json, from);
  if (slot === undefined || slot.at === slot.end) throw new Error("The JSON has no resourceVersion");
  const begin = slot.at - key.length, end = slot.end + 1;
  if (json[end] === COMMA) return [begin, end + 1];
  return json[begin - 1] === COMMA ? [begin - 1, end] : [begin, end];
}

/**
 * Returns the range of the value of metadata, if it is the member that begins at `from`. The JSON must be that of an object that this
 * server has encoded.
 */
export function metadataRange(json: Uint8Array, from: number): readonly [from: number, to: number] | undefined {
  for (let index = 0; index < metadata.length; index++) if (json[from + index] !== metadata[index]) return undefined;
  const begin = from + metadata.length - 1, end = valueEnd(json, begin);
  return end < 0 ? undefined : [begin, end];
}

/**
 * Returns the ranges of the members of metadata with these names. The JSON must be that of an object that this server has encoded; its
 * metadata begins at `from`.
 */
export function metadataMembers(json: Uint8Array, from: number, names: readonly Uint8Array[]): (readonly [from: number, to: number])[] {
  const found: (readonly [from: number, to: number])[] = [];
  for (let at = from + metadata.length; json[at] === QUOTE;) {
    const keyEnd = endOfString(json, at);
    if (keyEnd < 0 || isAt(json, at + 1, keyEnd - 1, lastMember)) break;
    const end = valueEnd(json, keyEnd + 1);
    if (end < 0) break;
    for (const name of names) if (isAt(json, at + 1, keyEnd - 1, name)) found.push([at, end]);
    at = end + 1;
  }
  return found;
}
/** The last member of metadata, which is also the largest one. */
const lastMember = toBytes.encode("managedFields");

/** Returns the index after a value in compact JSON, or -1. */
function valueEnd(json: Uint8Array, from: number): number {
  for (let at = from, depth = 0; at < json.length;) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at);
      if (at < 0 || depth === 0) return at;
      continue;
    }
    if (depth === 0 && (byte === COMMA || byte === CLOSE)) return at;
    at++;
    if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE || byte === CLOSE_LIST) && --depth === 0) return at;
  }
  return -1;
}

/** Returns the bytes that fill the slot. */
export function versionBytes(slot: VersionSlot, revision: number): Uint8Array {
  // V8 keeps arrays of at most 64 bytes in its heap. An encoder would allocate a buffer outside of it, which costs several times as much.
  const text = slot.open + revision + slot.close, bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Returns the index after the string that begins at `at`, or -1. */
function endOfString(json: Uint8Array, at: number): number {
  if (json[at] !== QUOTE) return -1;
  for (let index = at + 1; index < json.length; index++) {
    if (json[index] === BACKSLASH) index++;
    else if (json[index] === QUOTE) return index + 1;
  }
  return -1;
}
