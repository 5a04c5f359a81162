/**
 * Protobuf messages to canonical objects, as upstream's generated code reads them: unknown fields are skipped, absent ones
 * are zero. Input is not trusted: whatever is cut off, nested too deep or out of range ends in a `ProtobufError`.
 */
import { Reader } from "protobufjs/minimal.js";
import { limits } from "../limits.ts";
import { base64Of } from "../meta/base64.ts";
import { durationText } from "../meta/duration.ts";
import { canonicalQuantity } from "../meta/quantity.ts";
import { isWritable, microTimeOf, timeOfSeconds } from "../meta/time.ts";
import { Unreadable } from "../meta/unreadable.ts";
import { fold, type Node, resolve, type StructNode, type Typed } from "../schema.ts";
import { readJson } from "../tree/json.ts";
import { setOwn } from "../tree/values.ts";
import { assembler } from "./assemble.ts";
import { membersOf } from "./members.ts";
import { rawOf } from "./raw-json.ts";
import { zeroOf } from "./zero.ts";

/** Bytes that are not the message that they should be. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** Reads a value's payload at the reader's position, for messages behind their length. */
type Read = (from: Reader, depth: number) => unknown;
interface Wire {
  readonly type: 0 | 1 | 2;
  readonly read: Read;
}

/** Reads the message of a struct's schema; kind and apiVersion are "", because the envelope has them. Throws `ProtobufError`. */
export function protobufReader<T>(node: Typed<T>): (bytes: Uint8Array) => T {
  const body = bodyOf(resolve(node));
  return (bytes) => {
    const from = new Reader(bytes);
    try {
      return body(from, from.len, 0) as T; // the fold over Typed<T> makes values of T
    } catch (error) {
      throw readable(error);
    }
  };
}

/** The error to tell clients: the reader's own RangeError means that the bytes ended too early. */
export function readable(error: unknown): unknown {
  if (error instanceof ProtobufError || !(error instanceof Error)) return error;
  return new ProtobufError(error instanceof RangeError ? "unexpected EOF" : `proto: ${error.message}`, { cause: error });
}

/** Calls `field` for each field up to `end`; it reads those that it knows and returns false for the others. */
export function readFields(from: Reader, end: number, field: (number: number, type: number) => boolean): void {
  while (from.pos < end) {
    const tag = from.tag();
    const number = tag >>> 3, type = tag & 7;
    if (number === 0) throw new ProtobufError(`proto: illegal tag 0 (wire type ${type})`);
    if (!field(number, type)) from.skipType(type, 0, number);
  }
  if (from.pos !== end) throw new ProtobufError("unexpected EOF");
}

/** The end of the message whose length is next. */
export function endOfNext(from: Reader): number {
  const length = from.size();
  const end = from.pos + length;
  if (end > from.len) throw new ProtobufError("unexpected EOF");
  return end;
}

const wireOf: (node: Node) => Wire = fold<Wire>({
  boolean: () => ({ type: 0, read: (from) => from.bool() }),
  string: () => ({ type: 2, read: readText }),
  int32: () => ({ type: 0, read: (from) => from.int32() }),
  int64: () => ({ type: 0, read: readInt64 }),
  double: () => ({ type: 1, read: readDouble }),
  bytes: () => ({ type: 2, read: (from) => base64Of(from.bytes()) }),
  quantity: () => message(readQuantity),
  intOrString: () => message(readIntOrString),
  time: () => message((from, end) => readTimestamp(from, end, (seconds) => timeOfSeconds(seconds))),
  microTime: () => message((from, end) => readTimestamp(from, end, microTimeOf)),
  duration: () => message((from, end) => durationText(BigInt(onlyField(from, end, 0, readInt64) as number | bigint ?? 0))),
  raw: () => message(readJsonText),
  fieldsV1: () => message(readJsonText),
  list: (node, go) => message((from, end, depth) => onlyFields(from, end, go(node.of), depth)),
  record: (node, go) => message((from, end, depth) => Object.fromEntries(onlyEntries(from, end, go(node.of), node.of, depth))),
  struct: (node) => message(bodyOf(node)),
}, (get) => ({ type: 2, read: (from, depth) => get().read(from, depth) }));

type Body = (from: Reader, end: number, depth: number) => unknown;

function message(body: Body): Wire {
  return { type: 2, read: (from, depth) => body(from, endOfNext(from), depth) };
}

function readText(from: Reader): string {
  const text = from.string();
  return text.isWellFormed() ? text : text.toWellFormed();
}
/** JSON has no NaN and no infinities; upstream cannot write an object that has one either. */
function readDouble(from: Reader): number {
  const value = from.double();
  if (!Number.isFinite(value)) throw new ProtobufError(`json: unsupported value: ${value}`);
  return value;
}

/** A varint of up to ten bytes as a signed 64-bit integer: a number while safe. */
function readInt64(from: Reader): number | bigint {
  let low = 0, high = 0n;
  for (let i = 0; i < 10; i++) {
    if (from.pos >= from.len) throw new ProtobufError("unexpected EOF");
    const byte = from.buf[from.pos++]!;
    if (i < 4) low += (byte & 127) * 2 ** (7 * i);
    else high |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) {
      if (i < 4) return low;
      const value = BigInt.asIntN(64, high | BigInt(low));
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
  }
  throw new ProtobufError("proto: integer overflow");
}

/** The last value of field 1, the one that these small messages have. */
function onlyField(from: Reader, end: number, type: number, read: (from: Reader) => unknown): unknown {
  let value: unknown;
  readFields(from, end, (number, seen) => {
    if (number !== 1 || seen !== type) return false;
    value = read(from);
    return true;
  });
  return value;
}
function onlyFields(from: Reader, end: number, wire: Wire, depth: number): unknown[] {
  const items: unknown[] = [];
  readFields(from, end, (number, type) => number === 1 && readItem(from, wire, type, depth, items));
  return items;
}
function onlyEntries(from: Reader, end: number, wire: Wire, node: Node, depth: number): [string, unknown][] {
  const entries: [string, unknown][] = [];
  readFields(from, end, (number, type) => {
    if (number !== 1 || type !== 2) return false;
    entries.push(readEntry(from, wire, node, depth));
    return true;
  });
  return entries;
}

function readQuantity(from: Reader, end: number): string {
  const text = onlyField(from, end, 2, readText);
  if (typeof text !== "string") return "0";
  const canonical = canonicalQuantity(text);
  if (canonical instanceof Unreadable) throw new ProtobufError(canonical.error);
  return canonical;
}
function readIntOrString(from: Reader, end: number): number | string {
  let isText = false, number = 0, text = "";
  readFields(from, end, (field, type) => {
    if (field === 1 && type === 0) isText = readInt64(from) === 1;
    else if (field === 2 && type === 0) number = from.int32();
    else if (field === 3 && type === 2) text = readText(from);
    else return false;
    return true;
  });
  return isText ? text : number;
}
/** An empty message is the zero time; a message of zeros is 1970. */
function readTimestamp(from: Reader, end: number, timeOf: (seconds: number, nanos: number) => string | null): string | null {
  if (from.pos === end) return null;
  let seconds = 0, nanos = 0;
  readFields(from, end, (number, type) => {
    if (type !== 0 || number > 2) return false;
    if (number === 1) seconds = Number(readInt64(from));
    else nanos = from.int32();
    return true;
  });
  if (!isWritable(seconds) || nanos < 0 || nanos > 999999999) throw new ProtobufError("time out of range");
  return timeOf(seconds, nanos);
}
function readJsonText(from: Reader, end: number): unknown {
  const bytes = onlyField(from, end, 2, (from) => from.bytes()) as Uint8Array | undefined;
  if (bytes === undefined || bytes.length === 0) return null;
  const read = readJson(bytes);
  if (!read.ok) throw new ProtobufError(read.error);
  const raw = rawOf(read.tree);
  if ("value" in raw) return raw.value;
  throw new ProtobufError(`json: cannot unmarshal number ${raw.huge} into Go value of type float64`);
}

/** One item of a repeated field, or several numbers packed into one. */
function readItem(from: Reader, wire: Wire, type: number, depth: number, items: unknown[]): boolean {
  if (type === wire.type) items.push(wire.read(from, depth));
  else if (type === 2) {
    const end = endOfNext(from);
    while (from.pos < end) items.push(wire.read(from, depth));
    if (from.pos !== end) throw new ProtobufError("unexpected EOF");
  } else return false;
  return true;
}
function readEntry(from: Reader, wire: Wire, node: Node, depth: number): [string, unknown] {
  let key = "", value: unknown;
  readFields(from, endOfNext(from), (number, type) => {
    if (number === 1 && type === 2) key = readText(from);
    else if (number === 2 && type === wire.type) value = wire.read(from, depth);
    else return false;
    return true;
  });
  return [key, value === undefined ? zeroOf(node) : value];
}

/** Reads one field into the values of the struct that it belongs to; false when it is of another type. */
type ReadInto = (from: Reader, type: number, depth: number, values: unknown[]) => boolean;

/** Bodies are made at first use, because a struct may contain itself. */
const bodies = new WeakMap<Node, Body>();
function bodyOf(node: Exclude<Node, { tag: "lazy" }>): Body {
  if (node.tag !== "struct") throw new Error(`Only structs are protobuf messages, not ${node.tag}`);
  const made = bodies.get(node);
  if (made !== undefined) return made;
  let plan:
    | { readonly fields: ReadonlyMap<number, ReadInto>; readonly assemble: ReturnType<typeof assembler>; readonly size: number }
    | undefined;
  const body: Body = (from, end, depth) => {
    if (depth > limits.typedDepthMax) throw new ProtobufError("exceeded max depth");
    plan ??= planOf(node);
    const { fields, assemble, size } = plan;
    const values = new Array<unknown>(size).fill(undefined);
    readFields(from, end, (number, type) => fields.get(number)?.(from, type, depth + 1, values) ?? false);
    return assemble(values);
  };
  bodies.set(node, body);
  return body;
}

function planOf(node: StructNode) {
  const members = membersOf(node);
  const indexOf = new Map(members.map(({ key }, index) => [key, index]));
  return { fields: fieldsOf(node, indexOf), assemble: assembler(members), size: members.length };
}

/** The fields of a message by number. An inlined struct is a message whose values belong to the struct around it. */
function fieldsOf(node: StructNode, indexOf: ReadonlyMap<string, number>): ReadonlyMap<number, ReadInto> {
  const fields = new Map<number, ReadInto>();
  for (const [key, field] of Object.entries(node.fields)) {
    const inner = resolve(field.node);
    if (field.inline && inner.tag === "struct") fields.set(field.number, readInline(fieldsOf(inner, indexOf)));
    else if (field.number > 0) fields.set(field.number, readMember(inner, indexOf.get(key)!));
  }
  return fields;
}

function readInline(fields: ReadonlyMap<number, ReadInto>): ReadInto {
  return (from, type, depth, values) => {
    if (type !== 2) return false;
    readFields(from, endOfNext(from), (number, type) => fields.get(number)?.(from, type, depth, values) ?? false);
    return true;
  };
}

function readMember(node: Exclude<Node, { tag: "lazy" }>, index: number): ReadInto {
  if (node.tag === "list") {
    const wire = wireOf(node.of);
    return (from, type, depth, values) => readItem(from, wire, type, depth, (values[index] ??= []) as unknown[]);
  }
  if (node.tag === "record") {
    const wire = wireOf(node.of);
    return (from, type, depth, values) => {
      if (type !== 2) return false;
      const [key, value] = readEntry(from, wire, node.of, depth);
      setOwn((values[index] ??= {}) as Record<string, unknown>, key, value);
      return true;
    };
  }
  const wire = wireOf(node);
  return (from, type, depth, values) => {
    if (type !== wire.type) return false;
    values[index] = wire.read(from, depth);
    return true;
  };
}
