/** Static types of CEL expressions. Types are compared with `sameType`, never by identity. */

/** A type without parameters, and without a name of its own. */
export type SimpleTag =
  | "dyn"
  /** `google.protobuf.Any`: as `dyn`, but under its own name, and not the range of a loop. */
  | "any"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "error";

export type SimpleType = { readonly tag: SimpleTag };
export type ListType = { readonly tag: "list"; readonly of: Type };
export type MapType = { readonly tag: "map"; readonly key: Type; readonly value: Type };
/** A message or an object of a schema. A `TypeSource` has its fields. */
export type ObjectType = { readonly tag: "object"; readonly name: string };
/** An abstract type such as `net.IP` or `optional_type(T)`. */
export type OpaqueType = { readonly tag: "opaque"; readonly name: string; readonly parameters: readonly Type[] };
/** A parameter of a generic function. */
export type ParameterType = { readonly tag: "parameter"; readonly name: string };
/** The type of a type, `type(int)`. `of` is undefined for `type` itself. */
export type TypeType = { readonly tag: "type"; readonly of: Type | undefined };
/** A nullable scalar (`google.protobuf.Int64Value` and its like). */
export type WrapperType = { readonly tag: "wrapper"; readonly of: SimpleType };

export type Type = SimpleType | ListType | MapType | ObjectType | OpaqueType | ParameterType | TypeType | WrapperType;

const simple = <T extends SimpleTag>(tag: T): SimpleType => Object.freeze({ tag });

export const dynType: SimpleType = simple("dyn");
export const anyType: SimpleType = simple("any");
export const nullType: SimpleType = simple("null");
export const boolType: SimpleType = simple("bool");
export const intType: SimpleType = simple("int");
export const uintType: SimpleType = simple("uint");
export const doubleType: SimpleType = simple("double");
export const stringType: SimpleType = simple("string");
export const bytesType: SimpleType = simple("bytes");
export const timestampType: SimpleType = simple("timestamp");
export const durationType: SimpleType = simple("duration");
export const errorType: SimpleType = simple("error");
export const typeType: TypeType = Object.freeze({ tag: "type", of: undefined });

/** Returns the type of a list. */
export function listType(of: Type): ListType {
  return Object.freeze({ tag: "list", of });
}
/** Returns the type of a map. */
export function mapType(key: Type, value: Type): MapType {
  return Object.freeze({ tag: "map", key, value });
}
/** Returns the type of a message or of an object of a schema. */
export function objectType(name: string): ObjectType {
  return Object.freeze({ tag: "object", name });
}
/** Returns an abstract type. */
export function opaqueType(name: string, ...parameters: readonly Type[]): OpaqueType {
  return Object.freeze({ tag: "opaque", name, parameters });
}
/** Returns the type `optional_type(of)`. */
export function optionalType(of: Type): OpaqueType {
  return opaqueType("optional_type", of);
}
/** Returns a parameter of a generic function. */
export function parameterType(name: string): ParameterType {
  return Object.freeze({ tag: "parameter", name });
}
/** Returns the type of the type `of`. */
export function typeOf(of: Type): TypeType {
  return Object.freeze({ tag: "type", of });
}

/** A field of an object type. */
export interface FieldType {
  readonly type: Type;
}

/** Object types and type names of an environment. Implemented by `schema/` and by the types of policies. */
export interface TypeSource {
  /** Whether an object type of this name exists. */
  hasType(name: string): boolean;
  /** The field of an object type; undefined if the type has no such field. */
  field(type: string, field: string): FieldType | undefined;
  /** Names of the fields of an object type, for construction and messages. */
  fieldNames(type: string): readonly string[];
}
