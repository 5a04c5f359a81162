/**
 * Run-time values. A failed evaluation is a value too (`CelError`): functions return it, they do not throw.
 *
 * | CEL | here |
 * |---|---|
 * | null, bool, string | the JavaScript value; a string is valid UTF-16 |
 * | int | bigint between -2^63 and 2^63-1 |
 * | uint | `Uint` |
 * | double | number |
 * | bytes | Uint8Array |
 * | timestamp, duration | `Timestamp`, `Duration` |
 * | list, map, object | subclasses of `ListValue`, `MapValue`, `ObjectValue`: adapters read JSON without a copy |
 * | type | `TypeValue` |
 * | optional | `OptionalValue` |
 * | abstract types (quantity, ip, ...) | subclasses of `OpaqueValue` |
 */
import type { Type } from "./types.ts";

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | ObjectValue
  | TypeValue
  | OptionalValue
  | OpaqueValue
  | CelError;

/** An unsigned 64-bit integer. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time: whole seconds since 1970 and nanoseconds in the second (0 to 999,999,999). */
export class Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
  /** Offset of its text from UTC, in seconds east. Not part of the value. */
  readonly offset: number;
  constructor(seconds: bigint, nanos: number, offset = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A span of time in nanoseconds, between -2^63 and 2^63-1. */
export class Duration {
  readonly nanoseconds: bigint;
  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A list. Adapters over JSON make their elements when they are read. */
export abstract class ListValue {
  abstract readonly size: number;
  /** The element at an index between 0 and `size` - 1. */
  abstract at(index: number): Value;
  /** `this == other`, if it is not the comparison of the elements in their order. */
  equals?(other: Value): boolean | CelError;
  /** `this + other`, if it is not the elements of both. */
  plus?(other: ListValue): Value;
}

/** A map. */
export abstract class MapValue {
  abstract readonly size: number;
  /** The value of a key; undefined if absent. Numeric keys are found by any numeric type of equal value. */
  abstract find(key: Value): Value | undefined;
  /** Keys in the order of iteration. */
  abstract keys(): Iterable<Value>;
  /** `this == other`, if it is not the comparison of all entries. */
  equals?(other: Value): boolean | CelError;
  /** `key in this`, if `find` returns a default for keys that are absent. */
  contains?(key: Value): boolean;
}

/** A message, or an object of a schema. */
export abstract class ObjectValue {
  /** Name of the object type. */
  abstract readonly type: string;
  /** Size by which operators on it are charged. */
  get size(): number {
    return 1;
  }
  equals(other: Value): boolean {
    return this === other;
  }
  /** Whether the field is set: `has(object.field)`. A `CelError` if there is no such field. */
  abstract has(field: string): boolean | CelError;
  /** The value of a field. A `CelError` if it is neither set nor defaulted. */
  abstract get(field: string): Value;
}

/** A type as a value, as `type(x)` returns it. */
export class TypeValue {
  readonly type: Type;
  constructor(type: Type) {
    this.type = type;
  }
}

/** An optional; `value` is undefined for none. */
export class OptionalValue {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value of an abstract type. */
export abstract class OpaqueValue {
  /** Name of the abstract type, such as `net.IP`. */
  abstract readonly type: string;
  abstract equals(other: Value): boolean | CelError;
  /** The text of the type in messages. */
  get text(): string {
    return this.type;
  }
  /** Size by which operators on it are charged. */
  get size(): number {
    return 1;
  }
}

/** A failed evaluation. Not a JavaScript `Error`: it has no stack and is cheap to make. */
export class CelError {
  readonly message: string;
  /** Id of the node that failed, where the evaluator sets it. */
  readonly node: number | undefined;
  constructor(message: string, node?: number) {
    this.message = message;
    this.node = node;
  }
}
