/**
 * Where `resourceVersion` stands, or belongs, in the JSON of an object that we have encoded ourselves: in metadata, behind
 * name, generateName, namespace, selfLink and uid, which are strings.
 */

export interface VersionSlot {
  /** Where what is written begins. */
  readonly at: number;
  /** Where what follows goes on. */
  readonly end: number;
  /** What goes before and after the version. */
  readonly open: string;
  readonly close: string;
}

const toBytes = new TextEncoder();
const toText = new TextDecoder();
const metadata = toBytes.encode('"metadata":{');
const before: ReadonlySet<string> = new Set(["name", "generateName", "namespace", "selfLink", "uid"]);
const QUOTE = 0x22, COMMA = 0x2c, COLON = 0x3a, BACKSLASH = 0x5c, CLOSE = 0x7d;

/** The slot of metadata that begins at `from`; undefined where what stands there is not metadata as we write it. */
export function versionSlot(json: Uint8Array, from: number): VersionSlot | undefined {
  for (let index = 0; index < metadata.length; index++) if (json[from + index] !== metadata[index]) return undefined;
  let at = from + metadata.length;
  if (json[at] === CLOSE) return { at, end: at, open: '"resourceVersion":"', close: '"' };
  for (;;) {
    const keyEnd = stringEnd(json, at);
    if (keyEnd < 0 || json[keyEnd] !== COLON) return undefined;
    const key = toText.decode(json.subarray(at + 1, keyEnd - 1));
    if (!before.has(key) && key !== "resourceVersion") return { at, end: at, open: '"resourceVersion":"', close: '",' };
    const valueEnd = stringEnd(json, keyEnd + 1);
    if (valueEnd < 0) return undefined;
    if (key === "resourceVersion") return { at: keyEnd + 2, end: valueEnd - 1, open: "", close: "" };
    if (json[valueEnd] === CLOSE) return { at: valueEnd, end: valueEnd, open: ',"resourceVersion":"', close: '"' };
    if (json[valueEnd] !== COMMA) return undefined;
    at = valueEnd + 1;
  }
}

/** What fills the slot. */
export function versionBytes(slot: VersionSlot, revision: number): Uint8Array {
  return toBytes.encode(slot.open + revision + slot.close);
}

/** The position behind the string that opens at `at`, or -1. */
function stringEnd(json: Uint8Array, at: number): number {
  if (json[at] !== QUOTE) return -1;
  for (let index = at + 1; index < json.length; index++) {
    if (json[index] === BACKSLASH) index++;
    else if (json[index] === QUOTE) return index + 1;
  }
  return -1;
}
