/**
 * Reads protobuf messages into canonical objects as upstream's generated code: skips unknown fields, sets absent ones to zero, rejects
 * known fields with a wrong wire type. Input is not trusted: truncated, too deeply nested and out-of-range values throw a
 * `ProtobufError`.
 */
import type { Reader } from "protobufjs/minimal.js";
import { newReader } from "../codec/protobufjs.ts";
import { base64Of } from "../scalars/base64.ts";
import { microTimeOf, timeOfSeconds } from "../scalars/time.ts";
import { type EitherNode, fold, type Node, resolve, type StructNode, type Typed } from "../schema.ts";
import { setOwn } from "../tree/values.ts";
import { assembler } from "./assemble.ts";
import { goFieldName } from "./go-type.ts";
import { membersOf } from "./members.ts";
import { readDouble, readDuration, readFieldsV1, readIntOrString, readQuantity, readRaw, readTimestamp } from "./protobuf-read-scalars.ts";
import {
  decodingError,
  endOfNext,
  ProtobufError,
  readBytes,
  readEntryFields,
  readFields,
  readText,
  readVarint,
  wrongType,
} from "../codec/protobuf-wire.ts";
import { zeroOf } from "./zero.ts";
import { typedDepthMax } from "../bounds.ts";

/** Reads the payload of a value at the reader's position; for messages after their length. */
type Read = (from: Reader, depth: number) => unknown;
interface Wire {
  readonly type: 0 | 1 | 2;
  readonly read: Read;
}

/** Returns a reader of messages of a struct. kind and apiVersion are "", because they are in the envelope. Throws `ProtobufError`. */
export function protobufReader<T>(node: Typed<T>): (bytes: Uint8Array) => T {
  const body = bodyOf(resolve(node));
  return (bytes) => {
    const from = newReader(bytes);
    try {
      return body(from, from.len, 0) as T; // the fold over Typed<T> makes values of T
    } catch (error) {
      throw decodingError(error);
    }
  };
}

const wireOf: (node: Node) => Wire = fold<Wire>({
  boolean: () => ({ type: 0, read: (from) => readVarint(from) !== 0 }),
  string: () => ({ type: 2, read: readText }),
  int32: () => ({ type: 0, read: (from) => from.int32() }),
  int64: () => ({ type: 0, read: readVarint }),
  double: () => ({ type: 1, read: readDouble }),
  bytes: () => ({ type: 2, read: (from) => base64Of(readBytes(from)) }),
  quantity: () => message(readQuantity),
  intOrString: () => message(readIntOrString),
  time: () => message((from, end) => readTimestamp(from, end, (seconds) => timeOfSeconds(seconds))),
  microTime: () => message((from, end) => readTimestamp(from, end, microTimeOf)),
  duration: () => message(readDuration),
  raw: () => message(readRaw),
  // Custom resources have no protobuf form.
  structural: () => message(readRaw),
  fieldsV1: () => message(readFieldsV1),
  list: (node, go) => message((from, end, depth) => onlyItems(from, end, go(node.of), depth)),
  record: (node, go) => message((from, end, depth) => Object.fromEntries(onlyEntries(from, end, go(node.of), node.of, depth))),
  either: eitherWire,
  struct: (node) => message(bodyOf(node)),
}, (get) => ({ type: 2, read: (from, depth) => get().read(from, depth) }));

/** `prior`: the value of an earlier occurrence of the field. The new fields are merged into it. */
type Body = (from: Reader, end: number, depth: number, prior?: unknown) => unknown;

function message(body: Body): Wire {
  return { type: 2, read: (from, depth) => body(from, endOfNext(from), depth) };
}

/** Returns an object takes precedence over a boolean, and items over an object, as in upstream's JSON. */
function eitherWire({ name, object, objectNumber, other, otherNumber }: EitherNode, go: (node: Node) => Wire): Wire {
  const ofObject = go(object), ofOther = go(other.tag === "list" ? other.of : other);
  return message((from, end, depth) => {
    let value: unknown, flag: unknown = false;
    const items: unknown[] = [];
    readFields(from, end, name, (number, type) => {
      if (number === objectNumber) {
        if (type !== 2) throw wrongType(type, "Schema");
        value = ofObject.read(from, depth);
      } else if (number === otherNumber && other.tag === "list") readItem(from, ofOther, type, "Items", depth, items);
      else if (number === otherNumber) {
        if (type !== ofOther.type) throw wrongType(type, "Allows");
        flag = ofOther.read(from, depth);
      } else return false;
      return true;
    });
    if (other.tag === "boolean") return value ?? flag;
    return items.length > 0 ? items : value ?? null;
  });
}

/** Lists that are values of maps are messages. */
function onlyItems(from: Reader, end: number, wire: Wire, depth: number): unknown[] {
  const items: unknown[] = [];
  readFields(from, end, "ExtraValue", (number, type) => {
    if (number === 1) readItem(from, wire, type, "Items", depth, items);
    return number === 1;
  });
  return items;
}
function onlyEntries(from: Reader, end: number, wire: Wire, node: Node, depth: number): [string, unknown][] {
  const entries: [string, unknown][] = [];
  readFields(from, end, "Items", (number, type) => {
    if (number !== 1) return false;
    if (type !== 2) throw wrongType(type, "Items");
    entries.push(readEntry(from, wire, node, depth));
    return true;
  });
  return entries;
}

/** One item of a repeated field, or several numbers packed into one. */
function readItem(from: Reader, wire: Wire, type: number, name: string, depth: number, items: unknown[]): void {
  if (type === wire.type) items.push(wire.read(from, depth));
  else if (type === 2) { for (const end = endOfNext(from); from.pos < end;) items.push(wire.read(from, depth)); }
  else throw wrongType(type, name);
}
function readEntry(from: Reader, wire: Wire, node: Node, depth: number): [string, unknown] {
  let key = "", value: unknown;
  readEntryFields(from, (number) => {
    if (number === 1) key = readText(from);
    else if (number === 2) value = wire.read(from, depth);
    return number === 1 || number === 2;
  });
  return [key, value === undefined ? zeroOf(node) : value];
}

/** Reads one field into the values of its struct. */
type ReadInto = (from: Reader, type: number, depth: number, values: unknown[]) => void;

/** Bodies are made at first use, because structs may be recursive. */
const bodies = new WeakMap<Node, Body>();
function bodyOf(node: Exclude<Node, { tag: "lazy" }>): Body {
  if (node.tag !== "struct") throw new Error(`Only structs are protobuf messages, not ${node.tag}`);
  const made = bodies.get(node);
  if (made !== undefined) return made;
  let plan:
    | { readonly fields: ReadonlyMap<number, ReadInto>; readonly assemble: ReturnType<typeof assembler>; readonly keys: readonly string[] }
    | undefined;
  const body: Body = (from, end, depth, prior) => {
    if (depth > typedDepthMax) throw new ProtobufError("exceeded max depth");
    plan ??= planOf(node);
    const { fields, assemble, keys } = plan;
    const values = prior === undefined ? new Array<unknown>(keys.length).fill(undefined) : valuesOf(keys, prior);
    readMembers(from, end, node.name, fields, depth + 1, values);
    return assemble(values);
  };
  bodies.set(node, body);
  return body;
}

/** Returns the values to merge into. Frozen values are shared zero values, which are replaced. */
function valuesOf(keys: readonly string[], prior: unknown): unknown[] {
  const given = typeof prior === "object" && prior !== null ? new Map(Object.entries(prior)) : undefined;
  return keys.map((key) => {
    const value = given?.get(key);
    return Object.isFrozen(value) && typeof value === "object" ? undefined : value;
  });
}

function planOf(node: StructNode) {
  const members = membersOf(node);
  const indexOf = new Map(members.map(({ key }, index) => [key, index]));
  return { fields: fieldsOf(node, indexOf), assemble: assembler(members), keys: members.map(({ key }) => key) };
}

/** Returns the fields of a message by number. An inlined struct is a message whose values belong to its parent. */
function fieldsOf(node: StructNode, indexOf: ReadonlyMap<string, number>): ReadonlyMap<number, ReadInto> {
  const fields = new Map<number, ReadInto>();
  for (const [key, field] of Object.entries(node.fields)) {
    const inner = resolve(field.node);
    const name = goFieldName(key, field);
    if (field.inline && inner.tag === "struct") fields.set(field.number, readInline(inner.name, fieldsOf(inner, indexOf)));
    else if (field.number > 0) fields.set(field.number, readMember(inner, name, indexOf.get(key)!));
  }
  return fields;
}

function readMembers(
  from: Reader,
  end: number,
  message: string,
  fields: ReadonlyMap<number, ReadInto>,
  depth: number,
  values: unknown[],
): void {
  readFields(from, end, message, (number, type) => {
    const read = fields.get(number);
    if (read === undefined) return false;
    read(from, type, depth, values);
    return true;
  });
}

function readInline(name: string, fields: ReadonlyMap<number, ReadInto>): ReadInto {
  return (from, type, depth, values) => {
    if (type !== 2) throw wrongType(type, name);
    readMembers(from, endOfNext(from), name, fields, depth, values);
  };
}

function readMember(node: Exclude<Node, { tag: "lazy" }>, name: string, index: number): ReadInto {
  if (node.tag === "list") {
    const wire = wireOf(node.of);
    return (from, type, depth, values) => readItem(from, wire, type, name, depth, (values[index] ??= []) as unknown[]);
  }
  if (node.tag === "record") {
    const wire = wireOf(node.of);
    return (from, type, depth, values) => {
      if (type !== 2) throw wrongType(type, name);
      const [key, value] = readEntry(from, wire, node.of, depth);
      setOwn((values[index] ??= {}) as Record<string, unknown>, key, value);
    };
  }
  if (node.tag === "struct") {
    const body = bodyOf(node);
    return (from, type, depth, values) => {
      if (type !== 2) throw wrongType(type, name);
      values[index] = body(from, endOfNext(from), depth, values[index]);
    };
  }
  const wire = wireOf(node);
  return (from, type, depth, values) => {
    if (type !== wire.type) throw wrongType(type, name);
    values[index] = wire.read(from, depth);
  };
}
