/**
 * Varints, lengths, tags and fields of protobuf, with the bounds and error messages of upstream's generated code. The reader's `len` is
 * the end of the current message: no field can extend beyond it.
 */
import type { Reader } from "protobufjs/minimal.js";
import { protobufjs } from "./protobufjs.ts";

/** Bytes that are not a valid message. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

const varintBytesMax = 10;
const lengthMax = 2n ** 63n - 1n;

const cutOff = () => new ProtobufError("unexpected EOF");
const overflow = () => new ProtobufError("proto: integer overflow");
const negative = () => new ProtobufError("proto: negative length found during unmarshaling");

/** Returns the error for a known field with a wrong wire type. `field` is its name in Go. */
export function wrongType(type: number, field: string): ProtobufError {
  return new ProtobufError(`proto: wrong wireType = ${type} for field ${field}`);
}

/** Returns the error for clients. The library's RangeError means that the bytes end too early. */
export function decodingError(error: unknown): unknown {
  if (error instanceof ProtobufError || !(error instanceof Error)) return error;
  return error instanceof RangeError ? cutOff() : overflow();
}

/** Returns a varint of up to ten bytes as a signed 64-bit integer: a number while safe. */
export function readVarint(from: Reader): number | bigint {
  let low = 0, high = 0n;
  for (let i = 0; i < varintBytesMax; i++) {
    if (from.pos >= from.len) throw cutOff();
    const byte = from.buf[from.pos++]!;
    if (i < 4) low += (byte & 127) * 2 ** (7 * i);
    else high |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) {
      if (i < 4) return low;
      const value = BigInt.asIntN(64, high | BigInt(low));
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
  }
  throw overflow();
}

/** Reads a length and returns the index of the end of its value. Throws if that is beyond the current message. */
export function endOfNext(from: Reader): number {
  const length = readVarint(from);
  if (length < 0 || (typeof length === "bigint" && length + BigInt(from.pos) > lengthMax)) throw negative();
  if (length > from.len - from.pos) throw cutOff();
  return from.pos + Number(length);
}

/** Reads a length and its bytes. Returns a view. */
export function readBytes(from: Reader): Uint8Array {
  const end = endOfNext(from);
  const bytes = from.buf.subarray(from.pos, end);
  from.pos = end;
  return bytes;
}

/** Reads a length and its text. Replaces invalid UTF-8 with U+FFFD. */
export function readText(from: Reader): string {
  const end = endOfNext(from);
  const text = protobufjs().util.utf8.read(from.buf, from.pos, end);
  from.pos = end;
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Reads the value of a field after its tag. Returns false for an unknown number; the caller then skips the value. */
export type ReadField = (number: number, type: number) => boolean;

/** Known fields by number: wire type, name in Go, reader of the value. */
export type Fields = Readonly<Record<number, readonly [type: number, name: string, read: () => unknown]>>;
/** Returns a `ReadField` of these fields. It throws for a wrong wire type. */
export function knownFields(fields: Fields): ReadField {
  return (number, type) => {
    const field = fields[number];
    if (field === undefined) return false;
    if (type !== field[0]) throw wrongType(type, field[1]);
    field[2]();
    return true;
  };
}

/** Calls `field` for each field up to `end`. `message` is the name of its Go type. */
export function readFields(from: Reader, end: number, message: string, field: ReadField): void {
  const outer = from.len;
  from.len = end;
  while (from.pos < end) {
    const tag = readVarint(from);
    const type = typeOf(tag), number = numberOf(tag);
    if (type === 4) throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`);
    if (number <= 0) {
      throw new ProtobufError(`proto: ${message}: illegal tag ${number} (wire type ${BigInt.asUintN(64, BigInt(tag))})`);
    }
    if (!field(number, type)) skip(from, type);
  }
  from.len = outer;
}

/** Calls `field` for each field of a map entry. As upstream, it ignores wire types, and a value may extend beyond the entry. */
export function readEntryFields(from: Reader, field: (number: number) => boolean): void {
  const end = endOfNext(from);
  while (from.pos < end) {
    const tag = readVarint(from);
    if (field(numberOf(tag))) continue;
    skip(from, typeOf(tag));
    if (from.pos > end) throw cutOff();
  }
  from.pos = end;
}

/** Tags below this are decoded as numbers, larger ones as 64-bit integers. Tags of known fields are far below it. */
const plainTagMax = 2 ** 31;

function typeOf(tag: number | bigint): number {
  return isPlain(tag) ? tag & 7 : Number(BigInt.asUintN(3, BigInt(tag)));
}
function numberOf(tag: number | bigint): number {
  return isPlain(tag) ? tag >>> 3 : Number(BigInt.asIntN(32, BigInt.asUintN(64, BigInt(tag)) >> 3n));
}
function isPlain(tag: number | bigint): tag is number {
  return typeof tag === "number" && tag >= 0 && tag < plainTagMax;
}

/** Skips the value of an unknown field, including the content of a group. */
function skip(from: Reader, first: number): void {
  let open = 0;
  for (let type = first;; type = typeOf(readVarint(from))) {
    if (type === 0) readVarint(from);
    else if (type === 1) from.pos += 8;
    else if (type === 2) from.pos = endOfNext(from);
    else if (type === 3) open++;
    else if (type === 4) open--;
    else if (type === 5) from.pos += 4;
    else throw new ProtobufError(`proto: illegal wireType ${type}`);
    if (open < 0) throw new ProtobufError("proto: unexpected end of group");
    if (from.pos > from.len) throw cutOff();
    if (open === 0) return;
  }
}
