/** Protobuf messages with a scalar as canonical form, and doubles, read as upstream does. */
import type { Reader } from "protobufjs/minimal.js";
import { durationText } from "../scalars/duration.ts";
import { storedQuantity } from "../scalars/quantity.ts";
import { isWritable } from "../scalars/time.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { readJson } from "../tree/json.ts";
import { type Fields, knownFields, ProtobufError, readBytes, readFields, readText, readVarint, wrongType } from "../codec/protobuf-wire.ts";
import { rawOf } from "./raw-json.ts";

/** Rejects NaN and infinities, which JSON cannot represent; upstream fails on writing such an object. */
export function readDouble(from: Reader): number {
  const value = from.double();
  if (!Number.isFinite(value)) throw new ProtobufError(`json: unsupported value: ${value}`);
  return value;
}

/** The only field of a message, number 1. */
interface Only {
  readonly message: string;
  readonly field: string;
  readonly type: number;
}
const durationField: Only = { message: "Duration", field: "Duration", type: 0 };
const quantityField: Only = { message: "Quantity", field: "String_", type: 2 };

/** Returns the last value of the field; undefined if absent. */
function onlyField<V>(from: Reader, end: number, { message, field, type }: Only, read: (from: Reader) => V): V | undefined {
  let value: V | undefined;
  readFields(from, end, message, (number, seen) => {
    if (number !== 1) return false;
    if (seen !== type) throw wrongType(seen, field);
    value = read(from);
    return true;
  });
  return value;
}
export function readDuration(from: Reader, end: number): string {
  return durationText(BigInt(onlyField(from, end, durationField, readVarint) ?? 0));
}
export function readQuantity(from: Reader, end: number): string {
  const text = onlyField(from, end, quantityField, readText);
  if (text === undefined) return "0";
  const canonical = storedQuantity(text);
  if (canonical instanceof Unreadable) throw new ProtobufError(canonical.error);
  return canonical;
}
export function readIntOrString(from: Reader, end: number): number | string {
  let isText = false, number = 0, text = "";
  const fields: Fields = {
    1: [0, "Type", () => isText = readVarint(from) === 1],
    2: [0, "IntVal", () => number = from.int32()],
    3: [2, "StrVal", () => text = readText(from)],
  };
  readFields(from, end, "IntOrString", knownFields(fields));
  return isText ? text : number;
}

/** An empty message is the zero time; a message with zeros is 1970. */
export function readTimestamp(from: Reader, end: number, timeOf: (seconds: number, nanos: number) => string | null): string | null {
  if (from.pos === end) return null;
  let seconds = 0, nanos = 0;
  const fields: Fields = {
    1: [0, "Seconds", () => seconds = Number(readVarint(from))],
    2: [0, "Nanos", () => nanos = from.int32()],
  };
  readFields(from, end, "Timestamp", knownFields(fields));
  if (!isWritable(seconds) || nanos < 0 || nanos > 999999999) throw new ProtobufError("time out of range");
  return timeOf(seconds, nanos);
}
/** Returns the JSON of an object of any kind. */
export function readRaw(from: Reader, end: number): unknown {
  const bytes = onlyField(from, end, { message: "RawExtension", field: "Raw", type: 2 }, readBytes) ?? new Uint8Array();
  const read = jsonOf(bytes);
  if ("value" in read) return read.value;
  throw new ProtobufError(read.error);
}
/**
 * Returns the JSON of a field set. Invalid JSON is kept as a string, which is an invalid field set: upstream parses field sets only when
 * it reads the owners of an object, and then drops all owners.
 */
export function readFieldsV1(from: Reader, end: number): unknown {
  const bytes = onlyField(from, end, { message: "FieldsV1", field: "Raw", type: 2 }, readBytes) ?? new Uint8Array();
  const read = jsonOf(bytes);
  return "value" in read ? read.value : new TextDecoder().decode(bytes);
}

function jsonOf(bytes: Uint8Array): { readonly value: unknown } | { readonly error: string } {
  if (bytes.length === 0) return { value: null };
  const read = readJson(bytes);
  if (!read.ok) return { error: read.error };
  const raw = rawOf(read.tree);
  return "value" in raw ? raw : { error: `json: cannot unmarshal number ${raw.huge} into Go value of type float64` };
}
