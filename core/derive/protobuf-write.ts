/**
 * Writes canonical objects as protobuf messages, byte for byte as upstream's generated code: fields in ascending order, fields without a
 * pointer always (also empty strings, zeros and empty structs), maps sorted by key.
 */
import type { Writer } from "protobufjs/minimal.js";
import { newWriter } from "../codec/protobufjs.ts";
import { bytesOf } from "../scalars/base64.ts";
import { parseDuration } from "../scalars/duration.ts";
import { fractionNanos, secondsOf } from "../scalars/time.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { type EitherNode, type Field, fold, type Json, type Node, resolve, type StructNode, type Typed } from "../schema.ts";
import { rawText, sortedText } from "./raw-json.ts";
import { zeroOf } from "./zero.ts";

/** Writes the payload of a value; for messages after their length. */
type Write = (value: any, to: Writer) => void;
interface Wire {
  readonly type: 0 | 1 | 2;
  readonly write: Write;
}

/** Returns a writer of messages of a struct. kind and apiVersion are in the envelope, not in the message. */
export function protobufWriter<T>(node: Typed<T>): (value: T) => Uint8Array {
  const body = bodyOf(resolve(node));
  return (value) => {
    const to = newWriter();
    body(value, to);
    return to.finish();
  };
}

const text: Wire = { type: 2, write: (value: string, to) => to.string(value) };
const quantity = message((value: string, to) => to.uint32(10).string(value));
const json = message((value: Json, to) => {
  if (value !== null) to.uint32(10).string(rawText(value));
});

const sortedJson = message((value: Json, to) => {
  if (value !== null) to.uint32(10).string(sortedText(value));
});

const wireOf: (node: Node) => Wire = fold<Wire>({
  boolean: () => ({ type: 0, write: (value, to) => to.bool(value) }),
  string: () => text,
  int32: () => ({ type: 0, write: (value, to) => to.int32(value) }),
  int64: () => ({ type: 0, write: writeInt64 }),
  double: () => ({ type: 1, write: (value, to) => to.double(value) }),
  bytes: () => ({ type: 2, write: (value, to) => to.bytes(bytesOf(value)) }),
  quantity: () => quantity,
  intOrString: () =>
    message((value: number | string, to) => {
      const isText = typeof value === "string";
      to.uint32(8).int32(isText ? 1 : 0).uint32(16).int32(isText ? 0 : value).uint32(26).string(isText ? value : "");
    }),
  time: () => message((value: string | null, to) => writeTimestamp(value, 0, to)),
  microTime: () => message((value: string | null, to) => writeTimestamp(value, value === null ? 0 : fractionNanos(value), to)),
  duration: () =>
    message((value: string, to) => {
      const nanos = parseDuration(value);
      if (typeof nanos !== "bigint") throw new Error(`Not a canonical duration: ${value}`);
      writeInt64(nanos, to.uint32(8));
    }),
  raw: ({ sorted }) => sorted ? sortedJson : json,
  // Custom resources have no protobuf form.
  structural: () => json,
  fieldsV1: () => json,
  // A list inside a map is a message.
  list: (node, go) => message((value, to) => writeItems(go(node.of), 1, value, to)),
  record: (node, go) => message((value, to) => writeEntries(go(node.of), 1, value, to)),
  either: eitherWire,
  struct: (node) => message(bodyOf(node)),
}, (get) => message((value, to) => get().write(value, to)));

function message(write: Write): Wire {
  return {
    type: 2,
    write: (value, to) => {
      to.fork();
      write(value, to);
      to.ldelim();
    },
  };
}

/** A boolean is always written; it is true beside an object. */
function eitherWire({ object, objectNumber, other, otherNumber }: EitherNode, go: (node: Node) => Wire): Wire {
  const ofObject = go(object);
  const writeObject: Write = (value, to) => ofObject.write(value, to.uint32(objectNumber << 3 | ofObject.type));
  if (other.tag === "boolean") {
    return message((value, to) => {
      to.uint32(otherNumber << 3).bool(value !== null && value !== false);
      if (typeof value === "object" && value !== null) writeObject(value, to);
    });
  }
  const item = go(other.of);
  return message((value, to) => {
    if (Array.isArray(value)) writeItems(item, otherNumber, value, to);
    else if (value !== null) writeObject(value, to);
  });
}

function writeInt64(value: number | bigint, to: Writer): void {
  if (typeof value === "number") to.int64(value);
  // The writer takes two 32-bit halves for integers that a number cannot represent.
  else to.int64({ low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false });
}

/** The zero time is an empty message. */
function writeTimestamp(value: string | null, nanos: number, to: Writer): void {
  if (value !== null) to.uint32(8).int64(secondsOf(value)).uint32(16).int32(nanos);
}

function writeItems(wire: Wire, number: number, items: readonly unknown[], to: Writer): void {
  for (const item of items) {
    to.uint32(number << 3 | wire.type);
    wire.write(item, to);
  }
}
function writeEntries(wire: Wire, number: number, entries: Readonly<Record<string, unknown>>, to: Writer): void {
  for (const key of sortedKeys(entries)) {
    to.uint32(number << 3 | 2).fork().uint32(10).string(key).uint32(2 << 3 | wire.type);
    wire.write(entries[key], to);
    to.ldelim();
  }
}

/** Bodies are made at first use, because structs may be recursive. */
const bodies = new WeakMap<Node, Write>();
function bodyOf(node: Exclude<Node, { tag: "lazy" }>): Write {
  if (node.tag !== "struct") throw new Error(`Only structs are protobuf messages, not ${node.tag}`);
  const made = bodies.get(node);
  if (made !== undefined) return made;
  let writes: readonly Write[] | undefined;
  const body: Write = (object, to) => {
    writes ??= Object.entries(node.fields)
      .filter(([, { number }]) => number > 0)
      .sort(([, a], [, b]) => a.number - b.number)
      .map(([key, field]) => writeField(key, field));
    for (const write of writes) write(object, to);
  };
  bodies.set(node, body);
  return body;
}

/** Returns a writer of one field of an object. */
function writeField(key: string, field: Field): Write {
  const { number, pointer, written } = field;
  const node = resolve(field.node);
  if (field.inline) {
    const body = message(bodyOf(node as StructNode)); // `inline` is for structs
    return (object, to) => body.write(object, to.uint32(number << 3 | 2));
  }
  if (node.tag === "list") {
    const wire = wireOf(node.of);
    return (object, to) => writeItems(wire, number, object[key] ?? [], to);
  }
  if (node.tag === "record") {
    const wire = wireOf(node.of);
    return (object, to) => writeEntries(wire, number, object[key] ?? {}, to);
  }
  const wire = wireOf(node);
  const tag = number << 3 | wire.type;
  // In JSON, both a pointer to the zero time and an absent pointer that is always written are null.
  const nullIsValue = (node.tag === "time" || node.tag === "microTime") && !(pointer && written === "always");
  const optional = pointer || node.tag === "bytes";
  return (object, to) => {
    let value = object[key];
    if (value === undefined || (value === null && !nullIsValue)) {
      if (optional) return;
      value = zeroOf(node);
    }
    wire.write(value, to.uint32(tag));
  };
}
