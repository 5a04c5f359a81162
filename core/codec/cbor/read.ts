/**
 * Bytes to data items, with the bounds and the error texts of upstream's reader. One pass, no recursion: nesting is bounded by
 * `documentDepthMax`, and a declared length is checked against the remaining bytes before it is used.
 */
import { CborBytes, CborFloat, CborInvalidText, type CborItem, CborMap, CborSimple, CborTag, majorNames, tags } from "./item.ts";
import { bound } from "../../bound.ts";
import { documentDepthMax } from "../../bounds.ts";

/** Declared number of items of a CBOR list. Larger than any body allows. */
const cborElementsMax = bound(2 ** 31 - 1);
/** Declared number of pairs of a CBOR map. Larger than any body allows. */
const cborPairsMax = bound(2 ** 21);

/** Bytes that are not valid CBOR. The message is upstream's. */
export class CborError extends Error {
  override readonly name = "CborError";
}

/** The first bytes of every document written here: the head of tag 55799, by which CBOR is recognised (RFC 8949 section 3.4.6). */
export const selfDescribed: readonly number[] = Object.freeze([0xd9, 0xd9, 0xf7]);

export function isCbor(bytes: Uint8Array): boolean {
  return selfDescribed.every((byte, index) => bytes[index] === byte);
}

/** Reads a document of exactly one item, with or without the self-described tag. Throws `CborError`. */
export function readCbor(bytes: Uint8Array): CborItem {
  if (bytes.length === 0) throw new CborError("EOF");
  const from: Source = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
  const open: Open[] = [];
  const root: CborItem[] = [];
  let parent: Open = { into: root, left: 1, kind: "array", depth: 0 };
  for (;;) {
    while (parent.left === 0 || atBreak(from, parent)) {
      const outer = open.pop();
      if (outer === undefined) return expectEnd(from, root[0]!);
      parent = outer;
    }
    parent.left--;
    const opened = readItem(from, parent.into, parent.depth);
    if (parent.left === Infinity) checkCount(parent.kind, parent.into.length);
    if (opened === undefined) continue;
    open.push(parent);
    parent = opened;
  }
}

function expectEnd({ bytes, at }: Source, item: CborItem): CborItem {
  if (at < bytes.length) throw new CborError(`cbor: ${bytes.length - at} bytes of extraneous data starting at index ${at}`);
  return item;
}

/** Bytes and a position in them. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
}

/** A list or map whose items are not all read. */
interface Open {
  readonly into: CborItem[];
  /** Number of items not read yet; Infinity for an indefinite length. */
  left: number;
  readonly kind: "array" | "map";
  readonly depth: number;
}

/** The byte that ends an item of indefinite length. */
export const BREAK = 0xff;

/** Consumes the break that ends a list or map of indefinite length. True if there was one. */
function atBreak(from: Source, { left, kind, into }: Open): boolean {
  if (left !== Infinity || from.bytes[from.at] !== BREAK) return false;
  if (kind === "map" && into.length % 2 === 1) throw new CborError('cbor: unexpected "break" code');
  from.at++;
  return true;
}

/** Reads one item into `to`. Returns the container that it opens. */
function readItem(from: Source, to: CborItem[], depth: number): Open | undefined {
  const numbers: (number | bigint)[] = [];
  let head = readHead(from);
  for (; head.major === 6; head = readHead(from)) {
    // The first of several tags does not count as a level, as upstream.
    if (numbers.length > 0) checkDepth(++depth);
    if (from.at === from.bytes.length) throw eof();
    if (head.value === tags.bignum || head.value === tags.negativeBignum) throw unacceptable("tag", "bignum");
    numbers.push(head.value);
  }
  if (head.major !== 4 && head.major !== 5) return void to.push(wrapInTags(numbers, leafOf(from, head)));
  checkDepth(++depth);
  const kind = head.major === 4 ? "array" : "map";
  const left = head.indefinite ? Infinity : itemsOf(kind, head.value);
  const opened = kind === "array" ? [] : new CborMap();
  to.push(wrapInTags(numbers, opened));
  return { into: Array.isArray(opened) ? opened : opened.entries, left, kind, depth };
}

function wrapInTags(numbers: readonly (number | bigint)[], item: CborItem): CborItem {
  return numbers.reduceRight<CborItem>((content, number) => new CborTag(number, content), item);
}

function checkDepth(depth: number): void {
  if (depth > documentDepthMax) throw new CborError(`cbor: exceeded max nested level ${documentDepthMax}`);
}

/** Returns the number of items of a declared number of elements or pairs. */
function itemsOf(kind: "array" | "map", count: number | bigint): number {
  if (count >= 2n ** 63n) throw new CborError(`cbor: ${kind} length ${count} is too large, it would cause integer overflow`);
  const items = kind === "array" ? count : Number(count) * 2;
  checkCount(kind, items);
  return Number(items);
}

function checkCount(kind: "array" | "map", items: number | bigint): void {
  if (kind === "array" && items > cborElementsMax) {
    throw new CborError(`cbor: exceeded max number of elements ${cborElementsMax} for CBOR array`);
  }
  if (kind === "map" && items >= 2 * cborPairsMax + 2) {
    throw new CborError(`cbor: exceeded max number of key-value pairs ${cborPairsMax} for CBOR map`);
  }
}

function leafOf(from: Source, { major, value, info, indefinite }: Head): CborItem {
  if (major === 0) return value;
  if (major === 1) return typeof value === "number" && value < Number.MAX_SAFE_INTEGER ? -1 - value : -1n - BigInt(value);
  if (major === 7) return primitiveOf(from, info, value);
  if (indefinite) return major === 2 ? joinChunks(from) : textOf(from, major);
  const end = endOf(from, major, value);
  const start = from.at;
  from.at = end;
  return major === 2 ? new CborBytes(from.bytes, start, end) : decodeText(from.bytes.subarray(start, end));
}

function endOf({ bytes, at }: Source, major: number, length: number | bigint): number {
  if (length >= 2n ** 63n) throw new CborError(`cbor: ${majorNames[major]} length ${length} is too large, causing integer overflow`);
  if (length > bytes.length - at) throw eof();
  return at + Number(length);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeText(bytes: Uint8Array): string | CborInvalidText {
  try {
    return utf8.decode(bytes);
  } catch {
    return new CborInvalidText();
  }
}

/** Returns the chunks of a string of indefinite length, up to its break. */
function chunks(from: Source, major: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (;;) {
    const first = from.bytes[from.at];
    if (first === undefined) throw eof();
    if (first === BREAK) break;
    if (first >> 5 !== major) {
      throw new CborError(`cbor: wrong element type ${majorNames[first >> 5]} for indefinite-length ${majorNames[major]}`);
    }
    if ((first & 31) === 31) throw new CborError(`cbor: indefinite-length ${majorNames[major]} chunk is not definite-length`);
    const end = endOf(from, major, readHead(from).value);
    found.push(from.bytes.subarray(from.at, end));
    from.at = end;
  }
  from.at++;
  return found;
}
function joinChunks(from: Source): CborBytes {
  const some = chunks(from, 2);
  const all = new Uint8Array(some.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of some) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return new CborBytes(all, 0, all.length);
}
/** Returns the text of a string of indefinite length. Each chunk must be valid UTF-8. */
function textOf(from: Source, major: number): string | CborInvalidText {
  const texts = chunks(from, major).map(decodeText);
  return texts.every((text) => typeof text === "string") ? texts.join("") : new CborInvalidText();
}

function primitiveOf(from: Source, info: number, value: number | bigint): CborItem {
  if (info >= 25) return new CborFloat(finite(floatAt(from, info, value)));
  return value === 20 ? false : value === 21 ? true : value === 22 ? null : new CborSimple(Number(value));
}
/** Returns the floating-point number whose head has just been read. */
export function floatAt({ view, at }: Source, info: number, value: number | bigint): number {
  if (info === 25) return halfFloat(Number(value));
  return info === 26 ? view.getFloat32(at - 4) : view.getFloat64(at - 8);
}
function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw unacceptable("primitives", Number.isNaN(value) ? "floating-point NaN" : "floating-point infinity");
}
/** Returns the number of sixteen bits (IEEE 754): sign, five bits of exponent, ten bits of fraction. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** The first byte of an item and its argument. */
export interface Head {
  readonly major: number;
  /** The low five bits of the first byte. */
  readonly info: number;
  readonly value: number | bigint;
  readonly indefinite: boolean;
}

/** Reads the first byte of an item and its argument. */
export function readHead(from: Source): Head {
  const { bytes, view } = from;
  const first = bytes[from.at++];
  if (first === undefined) throw eof();
  const major = first >> 5, info = first & 31;
  if (info < 24) return { major, info, value: info, indefinite: false };
  if (info === 31 && major > 1 && major < 6) return { major, info, value: info, indefinite: true };
  if (first === BREAK) throw new CborError('cbor: unexpected "break" code');
  if (info > 27) throw new CborError(`cbor: invalid additional information ${info} for type ${majorNames[major]}`);
  const at = from.at;
  from.at += 1 << info - 24;
  if (from.at > bytes.length) throw eof();
  const value = info === 24
    ? view.getUint8(at)
    : info === 25
    ? view.getUint16(at)
    : info === 26
    ? view.getUint32(at)
    : readUnsigned(view, at);
  if (major === 7 && info === 24 && value < 32) throw new CborError(`cbor: invalid simple value ${value} for type ${majorNames[major]}`);
  return { major, info, value, indefinite: false };
}
function readUnsigned(view: DataView, at: number): number | bigint {
  const value = view.getBigUint64(at);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

function eof(): CborError {
  return new CborError("unexpected EOF");
}
/** Upstream's message for an item that is valid CBOR and not accepted by the API. */
export function unacceptableText(major: string, what: string): string {
  return `cbor: data item of cbor type ${major} is not accepted by protocol: ${what}`;
}
function unacceptable(major: string, what: string): CborError {
  return new CborError(unacceptableText(major, what));
}
