/** Data items of CBOR (RFC 8949) before they are interpreted by a schema. */
import { textOfBytes } from "../../tree/utf8.ts";

/** Integers are numbers while safe, else bigints; texts are strings; lists are arrays. Every other type has a class. */
export type CborItem =
  | null
  | boolean
  | number
  | bigint
  | string
  | CborFloat
  | CborSimple
  | CborInvalidText
  | CborBytes
  | CborMap
  | CborTag
  | CborItem[];

/** A floating-point number of any width; finite. */
export class CborFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A simple value without a meaning in the API; 23 is `undefined`. */
export class CborSimple {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A text whose bytes are not UTF-8. The error is reported when the text is used. */
export class CborInvalidText {}

/** A byte string: a view of the document, because most are read once, as text. */
export class CborBytes {
  readonly #source: Uint8Array;
  readonly #from: number;
  readonly #to: number;
  constructor(source: Uint8Array, from: number, to: number) {
    this.#source = source;
    this.#from = from;
    this.#to = to;
  }
  get bytes(): Uint8Array {
    return this.#source.subarray(this.#from, this.#to);
  }
  get text(): string {
    return textOfBytes(this.bytes);
  }
}

/** Keys and values in alternation, in document order, including duplicate keys. */
export class CborMap {
  readonly entries: CborItem[] = [];
}

export class CborTag {
  readonly number: number | bigint;
  readonly content: CborItem;
  constructor(number: number | bigint, content: CborItem) {
    this.number = number;
    this.content = content;
  }
}

/** Names of the major types in error messages, by number. */
export const majorNames: readonly string[] = Object.freeze([
  "positive integer",
  "negative integer",
  "byte string",
  "UTF-8 text string",
  "array",
  "map",
  "tag",
  "primitives",
]);

/** Returns the name of an item in error messages. */
export function nameOfItem(item: CborItem): string {
  return majorNames[majorOf(item)]!;
}

function majorOf(item: CborItem): number {
  if (typeof item === "number" || typeof item === "bigint") return item < 0 ? 1 : 0;
  if (item instanceof CborBytes) return 2;
  if (typeof item === "string" || item instanceof CborInvalidText) return 3;
  if (Array.isArray(item)) return 4;
  return item instanceof CborMap ? 5 : item instanceof CborTag ? 6 : 7;
}

/** The tags with a meaning in the API. */
export const tags = Object.freeze({
  time: 0,
  epoch: 1,
  bignum: 2,
  negativeBignum: 3,
  base64Url: 21,
  base64: 22,
  base16: 23,
  selfDescribed: 55799,
});

/** Whether a tag sets the text encoding of the byte strings below it (RFC 8949 section 3.4.5.2). */
export function isLaterEncoding(number: number | bigint): boolean {
  return number === tags.base64Url || number === tags.base64 || number === tags.base16;
}

/** Returns the first member of that name; undefined if the item is not a map or has no such member. Ignores tags. */
export function memberOf(item: CborItem | undefined, name: string): CborItem | undefined {
  let at = item;
  while (at instanceof CborTag) at = at.content;
  if (!(at instanceof CborMap)) return undefined;
  const { entries } = at;
  const found = entries.findIndex((key, index) => index % 2 === 0 && (key instanceof CborBytes ? key.text : key) === name);
  return found < 0 ? undefined : entries[found + 1];
}
