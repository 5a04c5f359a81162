/** Data items of CBOR (RFC 8949) as they stand in a document, before anything says what they mean. */
import { textOfBytes } from "../../tree/utf8.ts";

/** Integers are numbers while safe, else bigints; texts are strings; lists are arrays. Everything else has a class of its own. */
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

/** A simple value that has no meaning in the API; 23 is `undefined`. */
export class CborSimple {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A text whose bytes are not UTF-8. Reported only where the text is read. */
export class CborInvalidText {}

/** A byte string. It has no copy of its bytes, because most are read once, as text. */
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

/** Keys and values in turn, in document order, repeated keys kept. */
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

/** What messages call the major types, by their number. */
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

/** What messages call an item. */
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

/** Tags that mean something here. */
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

/** Whether a tag says how the byte strings below it are to be shown as text (RFC 8949 section 3.4.5.2). */
export function isLaterEncoding(number: number | bigint): boolean {
  return number === tags.base64Url || number === tags.base64 || number === tags.base16;
}

/** The first member of that name, undefined for what is no map or has none; tags do not matter. */
export function memberOf(item: CborItem | undefined, name: string): CborItem | undefined {
  let at = item;
  while (at instanceof CborTag) at = at.content;
  if (!(at instanceof CborMap)) return undefined;
  const { entries } = at;
  const found = entries.findIndex((key, index) => index % 2 === 0 && (key instanceof CborBytes ? key.text : key) === name);
  return found < 0 ? undefined : entries[found + 1];
}
