/**
 * Encodes JSON documents as protobuf messages, by tables. The messages are gnostic's: a map is a message of repeated pairs, a choice is a
 * message with one field set, and a free value is YAML text (JSON is a subset).
 */
import type { Writer } from "protobufjs/minimal.js";
import { protobufjs } from "../codec/protobufjs.ts";
import type { Json } from "../schema.ts";
import { valueText } from "../value-text.ts";

/** Writes the fields of one message. */
export type Message = (value: Json, writer: Writer) => void;
/** Writes one field with its tag. */
export type Write = (number: number, value: Json, writer: Writer) => void;
export type Table = Readonly<Record<string, readonly [number: number, write: Write]>>;

const varint = 0, fixed64 = 1, delimited = 2;

export function encodeMessage(message: Message, value: Json): Uint8Array {
  const writer = protobufjs().Writer.create();
  message(value, writer);
  return writer.finish();
}

export const text: Write = (number, value, writer) => {
  writer.uint32(number << 3 | delimited).string(String(value));
};
export const flag: Write = (number, value, writer) => {
  writer.uint32(number << 3 | varint).bool(value === true);
};
export const double: Write = (number, value, writer) => {
  writer.uint32(number << 3 | fixed64).double(Number(value));
};
export const integer: Write = (number, value, writer) => {
  // Bounds of lengths and counts, far below 2^53.
  writer.uint32(number << 3 | varint).int64(Number(value));
};

/** Returns a submessage. `late` allows messages that contain each other. */
export function inside(late: () => Message): Write {
  return (number, value, writer) => {
    writer.uint32(number << 3 | delimited).fork();
    late()(value, writer);
    writer.ldelim();
  };
}
/** Returns a field for each element of a list; another value is treated as a list of one. */
export function each(write: Write): Write {
  return (number, value, writer) => {
    for (const one of listOf(value)) write(number, one, writer);
  };
}
function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns a message of pairs, one for each member. */
export function pairs(write: Write, at = 1): Message {
  const pair: Message = (value, writer) => {
    const [name, of] = value as readonly [string, Json]; // Defined below.
    text(1, name, writer);
    write(2, of, writer);
  };
  const member = inside(() => pair);
  return (value, writer) => {
    for (const entry of Object.entries(objectOf(value))) member(at, entry, writer);
  };
}
/** Returns a message with just one field. */
export function wrap(at: number, write: Write): Message {
  return (value, writer) => write(at, value, writer);
}
/** Returns a message that is a choice: `pick` returns the field of the value. */
export function choice(pick: (value: Json) => readonly [number: number, write: Write] | undefined): Message {
  return (value, writer) => {
    const chosen = pick(value);
    if (chosen !== undefined) chosen[1](chosen[0], value, writer);
  };
}

/** Writes a value of any JSON type, as its text in YAML (the message `Any`). */
export const any: Write = inside(() => (value, writer) => text(2, `${valueText(value)}\n`, writer));

/**
 * Returns a message of named fields; members named `x-...` go into field `extensions`. Throws for a member without a field, which is a
 * bug of ours.
 */
export function fields(extensions: number, table: Table): Message {
  const known = new Map(Object.entries(table));
  return (value, writer) => {
    for (const [key, member] of Object.entries(objectOf(value))) {
      const found = known.get(key);
      if (found !== undefined) found[1](found[0], member, writer);
      else if (key.startsWith("x-")) {
        writer.uint32(extensions << 3 | delimited).fork();
        text(1, key, writer);
        any(2, member, writer);
        writer.ldelim();
      } else throw new Error(`"${key}" has no field in this protobuf message`);
    }
  };
}

function objectOf(value: Json): { readonly [key: string]: Json } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`expected an object, got ${valueText(value)}`);
  }
  return value as { readonly [key: string]: Json }; // Neither null nor a list.
}
export function has(value: Json, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}
