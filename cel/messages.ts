/** Messages of protobuf that expressions can construct: `google.protobuf.Int64Value{value: 1}`. They become values of the language. */
import {
  anyType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  type SimpleType,
  stringType,
  timestampType,
  type Type,
  uintType,
} from "./types.ts";
import { emptyList, EntryMap } from "./value/collections.ts";
import { durationOfSum, isTimestampRange, timestampOverflow } from "./value/time.ts";
import { CelError, Timestamp, Uint, type Value } from "./values.ts";
import { valueText } from "../core/value-text.ts";

export interface Message {
  /** Type of the value that the message becomes. */
  readonly type: Type;
  readonly fields: ReadonlyMap<string, Type>;
  /** Makes the value from the fields that are set. */
  make(fields: ReadonlyMap<string, Value>): Value;
}

type Fields = ReadonlyMap<string, Value>;

const overflow = new CelError("integer overflow");
const unsignedOverflow = new CelError("unsigned integer overflow");
const nanosPerSecond = 1_000_000_000n;

/** Returns a nullable scalar. */
function wrapper(of: SimpleType, zero: Value, convert: (value: Value) => Value = (value) => value): Message {
  const make = (fields: Fields): Value => {
    const value = fields.get("value");
    return value === undefined || value === null ? zero : convert(value);
  };
  return { type: { tag: "wrapper", of }, fields: new Map([["value", of]]), make };
}

/** Returns a message of one field, which it becomes. */
function holder(type: Type, field: string, empty: Value): Message {
  return { type, fields: new Map([[field, type]]), make: (fields) => fields.get(field) ?? empty };
}

const timed: ReadonlyMap<string, Type> = new Map([["seconds", intType], ["nanos", intType]]);
function nanoseconds(fields: Fields): bigint {
  // The checker admits ints only.
  return (fields.get("seconds") ?? 0n) as bigint * nanosPerSecond + ((fields.get("nanos") ?? 0n) as bigint);
}
function timestampOf(fields: Fields): Value {
  const total = nanoseconds(fields);
  const nanos = BigInt.asUintN(64, ((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond);
  const seconds = (total - nanos) / nanosPerSecond;
  return isTimestampRange(seconds) ? new Timestamp(seconds, Number(nanos)) : timestampOverflow;
}

const anyMap = mapType(stringType, dynType);
const anyList = listType(dynType);
/** Upstream cannot convert `google.protobuf.Any` to a value: the result is an error that shows the message. */
function anyError(fields: Fields): Value {
  return new CelError(`unsupported conversion to ref.Val: (*dynamicpb.Message)type_url:${valueText(fields.get("type_url") ?? "")}`);
}

export const messages: ReadonlyMap<string, Message> = new Map<string, Message>([
  ["google.protobuf.BoolValue", wrapper(boolType, false)],
  ["google.protobuf.BytesValue", wrapper(bytesType, new Uint8Array())],
  ["google.protobuf.DoubleValue", wrapper(doubleType, 0)],
  ["google.protobuf.FloatValue", wrapper(doubleType, 0, (value) => typeof value === "number" ? Math.fround(value) : value)],
  ["google.protobuf.Int32Value", wrapper(intType, 0n, (value) => value === BigInt.asIntN(32, value as bigint) ? value : overflow)],
  ["google.protobuf.Int64Value", wrapper(intType, 0n)],
  ["google.protobuf.StringValue", wrapper(stringType, "")],
  [
    "google.protobuf.UInt32Value",
    wrapper(uintType, new Uint(0n), (value) => value instanceof Uint && value.value >> 32n === 0n ? value : unsignedOverflow),
  ],
  ["google.protobuf.UInt64Value", wrapper(uintType, new Uint(0n))],
  ["google.protobuf.ListValue", holder(anyList, "values", emptyList)],
  ["google.protobuf.Struct", holder(anyMap, "fields", new EntryMap())],
  ["google.protobuf.Value", {
    type: dynType,
    fields: new Map<string, Type>([
      ["null_value", intType],
      ["number_value", doubleType],
      ["string_value", stringType],
      ["bool_value", boolType],
      ["struct_value", anyMap],
      ["list_value", anyList],
    ]),
    make: (fields) => {
      const [last] = [...fields].slice(-1);
      return last === undefined || last[0] === "null_value" ? null : last[1];
    },
  }],
  ["google.protobuf.Any", {
    type: anyType,
    fields: new Map<string, Type>([["type_url", stringType], ["value", bytesType]]),
    make: anyError,
  }],
  ["google.protobuf.Timestamp", { type: timestampType, fields: timed, make: timestampOf }],
  ["google.protobuf.Duration", { type: durationType, fields: timed, make: (fields) => durationOfSum(nanoseconds(fields)) }],
]);

/** Returns the message of a name as it is written. */
export function messageOf(name: string): Message | undefined {
  return messages.get(name.startsWith(".") ? name.slice(1) : name);
}
