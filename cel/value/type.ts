/** Types of values while an expression runs. Parameters of types are not known then. */
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  errorType,
  intType,
  listType,
  type MapType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  stringType,
  timestampType,
  type Type,
  typeType,
  uintType,
} from "../types.ts";
import {
  CelError,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values.ts";

const anyList = listType(dynType);
const anyMap = mapType(dynType, dynType);
const anyOptional = opaqueType("optional_type");

/** Returns the type of a value, as `type(value)` has it. */
export function typeOfValue(value: Value): Type {
  switch (typeof value) {
    case "string":
      return stringType;
    case "bigint":
      return intType;
    case "boolean":
      return boolType;
    case "number":
      return doubleType;
  }
  if (value === null) return nullType;
  if (value instanceof ListValue) return anyList;
  if (value instanceof MapValue) return anyMap;
  if (value instanceof ObjectValue) return objectType(value.type);
  if (value instanceof OpaqueValue) return opaqueType(value.type);
  return typeOfOther(value);
}

function typeOfOther(value: Uint8Array | Uint | Timestamp | Duration | TypeValue | OptionalValue | CelError): Type {
  if (value instanceof Uint) return uintType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  if (value instanceof TypeValue) return typeType;
  return value instanceof OptionalValue ? anyOptional : errorType;
}

/** Returns the name of a type without its parameters, as messages and `string(type)` have it. */
export function typeName(type: Type): string {
  switch (type.tag) {
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "null":
      return "null_type";
    case "any":
      return "google.protobuf.Any";
    case "object":
    case "opaque":
    case "parameter":
      return type.name;
    case "wrapper":
      return type.of.tag;
    default:
      return type.tag;
  }
}

export function typeNameOf(value: Value): string {
  return typeName(typeOfValue(value));
}

/** Whether a value may be an argument of a type. Of a list or map, the first element is compared. */
export function isAssignable(type: Type, value: Value): boolean {
  switch (type.tag) {
    case "dyn":
    case "any":
    case "parameter":
      return true;
    case "string":
      return typeof value === "string";
    case "int":
      return typeof value === "bigint";
    case "bool":
      return typeof value === "boolean";
    case "list":
      return value instanceof ListValue && (isAnything(type.of) || value.size === 0 || isAssignable(type.of, value.at(0)));
    case "map":
      return value instanceof MapValue && hasEntryOf(type, value);
    case "wrapper":
      return value === null || isAssignable(type.of, value);
    case "type":
      return value instanceof TypeValue;
    default:
      return typeName(type) === typeNameOf(value);
  }
}

function isAnything({ tag }: Type): boolean {
  return tag === "dyn" || tag === "any" || tag === "parameter";
}

function hasEntryOf({ key, value: item }: MapType, map: MapValue): boolean {
  if (isAnything(key) && isAnything(item)) return true;
  for (const first of map.keys()) return isAssignable(key, first) && isAssignable(item, map.find(first)!);
  return true;
}

/** Returns upstream's name of the representation of a value, which two messages have. */
export function representation(value: Value): string {
  if (value instanceof OptionalValue) return "*types.Optional";
  if (value instanceof TypeValue) return "*types.Type";
  if (value instanceof OpaqueValue) return `cel.${value.type.slice(value.type.lastIndexOf(".") + 1)}`;
  if (value instanceof ObjectValue) return value.type;
  if (value instanceof Timestamp) return "types.Timestamp";
  if (value instanceof Duration) return "types.Duration";
  if (value === null) return "types.Null";
  if (value instanceof ListValue) return "*types.baseList";
  if (value instanceof MapValue) return "*types.baseMap";
  const name = typeNameOf(value);
  return `types.${name[0]!.toUpperCase()}${name.slice(1)}`;
}
