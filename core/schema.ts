/**
 * The nodes of schemas. A resource is described once, as a tree of these nodes; OpenAPI, decoding, protobuf, CBOR, defaults, validation,
 * apply and patches are folds over it (see `derive/`).
 *
 * A schema is a frozen value. Only `lazy` nodes run code of a plugin when they are read. They allow recursive structs (JSONSchemaProps) and
 * definitions further down in a file.
 */

import type { Json } from "./json.ts";
import type { DefaultOf, FieldOptions, StructOptions, Union } from "./schema-options.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

export { isObject, type Json, type JsonObject } from "./json.ts";
export type { DefaultOf, FieldOptions, StructOptions, Union } from "./schema-options.ts";

/** A quantity in canonical text, such as `"1Gi"` or `"250m"`. */
export type Quantity = string;
/** RFC 3339 in UTC with whole seconds, such as `"2024-05-01T10:00:00Z"`. */
export type Time = string;
/** RFC 3339 in UTC with six digits of microseconds, such as `"2024-05-01T10:00:00.250000Z"`. */
export type MicroTime = string;
/** Bytes as standard base64 with padding, as in JSON. */
export type Base64 = string;
/** An int64: a `number` if it is a safe integer, else a `bigint`. Equal values are equal by `===`. */
export type Int64 = number | bigint;
/** A boolean. */
export type BooleanNode = { readonly tag: "boolean" };
/** A string, possibly with a name of its own and with a closed set of values. */
export type StringNode = {
  readonly tag: "string";
  /** The allowed values, published as OpenAPI `enum` in this order. */
  readonly oneOf?: readonly string[];
  readonly goName?: string;
};
/** An integer from -2^31 to 2^31 - 1. */
export type Int32Node = { readonly tag: "int32" };
/** An integer from -2^63 to 2^63 - 1: a number, or a bigint if a number is inexact. */
export type Int64Node = { readonly tag: "int64" };
/** A floating-point number. */
export type DoubleNode = { readonly tag: "double" };
/** Bytes, in JSON as base64. */
export type BytesNode = { readonly tag: "bytes" };
/** An amount with an optional unit, such as `"500m"` or `"1Gi"`. */
export type QuantityNode = { readonly tag: "quantity" };
/** An integer or a string, such as a port or a percentage. */
export type IntOrStringNode = { readonly tag: "intOrString" };
/** A time in whole seconds, as RFC 3339 text. */
export type TimeNode = { readonly tag: "time" };
/** A time in microseconds, as RFC 3339 text. */
export type MicroTimeNode = { readonly tag: "microTime" };
/** A Go duration as text, such as `"1m30s"`. */
export type DurationNode = { readonly tag: "duration" };
/** Any JSON value, kept unchanged: RawExtension, or the type JSON of apiextensions, whose objects have sorted keys (`sorted`). */
export type RawNode = { readonly tag: "raw"; readonly sorted?: true };
/**
 * A value of a custom resource, described by the schema in its definition. Null is kept where the schema is nullable, unknown members are
 * pruned, empty lists and maps stay, and members are sorted by name.
 */
export type StructuralNode = { readonly tag: "structural"; readonly schema: StructuralSchema };
/** A field set of server-side apply. */
export type FieldsV1Node = { readonly tag: "fieldsV1" };
/** A list of values of one schema. */
export type ListNode = {
  readonly tag: "list";
  readonly of: Node;
  /** How server-side apply merges the list (`x-kubernetes-list-type`). */
  readonly type: "atomic" | "set" | "map";
  /** The keys of the items of a `map` list, in published order. */
  readonly keys?: readonly string[];
  /** False if upstream publishes no list type. Apply still treats the list as atomic. */
  readonly published?: false;
  readonly goName?: string;
};
/** A map from strings to values of one schema. */
export type RecordNode = { readonly tag: "record"; readonly of: Node; readonly atomic?: true; readonly goName?: string };
/** The node of a struct: an object with named fields. */
export type StructNode = {
  readonly tag: "struct";
  readonly name: string;
  /** Group version of the type, such as `core/v1` or `meta/v1`. Part of its OpenAPI and Go names. */
  readonly package?: string;
  readonly doc: string;
  /** The fields in the order of keys in JSON. Protobuf sorts them by number. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Whether the struct is a kind. Its JSON then has `kind` and `apiVersion` first; protobuf has them in the envelope. */
  readonly typeMeta?: true;
  /** Whether server-side apply treats the struct as one value (`x-kubernetes-map-type: atomic`). */
  readonly atomic?: true;
  /**
   * The node of members that `fields` does not name, for kinds of custom resources. They are kept. Default: unknown members are dropped.
   */
  readonly rest?: StructuralNode;
  /**
   * The schema of the whole object, for kinds of custom resources. Its keywords are published, and decide whether unknown members are
   * owned.
   */
  readonly whole?: StructuralSchema;
  /**
   * Present for the kind of a custom resource, or a list of one. It is published with these keywords, and without default values of
   * structs.
   */
  readonly custom?: { readonly keywords: Readonly<Record<string, Json>> };
  /** The union that is published as `x-kubernetes-unions`. The rules of the kind validate its values. */
  readonly union?: Union;
  /** Rules in CEL over `self`, an object of this struct. Published as `x-kubernetes-validations`. */
  readonly rules?: readonly ValidationRule[];
  /** Applies defaults that depend on other fields, after the defaults of the fields. Returns `self` itself if nothing changes. */
  readonly applyDefaults?: (self: any) => any;
  /** Defaults of features by their gates. Each is applied like `applyDefaults` and after it, while its gate is on. */
  readonly gatedDefaults?: Readonly<Record<string, (self: any) => any>>;
};
/**
 * An object, or another JSON type: a schema or a boolean, for example. Null is the empty value. In protobuf it is a message with one field
 * for each of the two. Unknown and duplicate fields in the object are not reported, because upstream decodes it in a method of its own.
 */
export type EitherNode = {
  readonly tag: "either";
  readonly name: string;
  readonly package?: string;
  readonly doc: string;
  /** The struct of values that are JSON objects, and the number of its protobuf field. */
  readonly object: Node;
  readonly objectNumber: number;
  /** The node of values that are booleans or lists, and the number of its protobuf field. */
  readonly other: BooleanNode | ListNode;
  readonly otherNumber: number;
  /** The error for values of other JSON types. Default: such values become the empty value. */
  readonly refusal?: string;
};
/** A schema that is looked up at its first use, so that schemas can contain themselves. */
export type LazyNode = { readonly tag: "lazy"; readonly get: () => Node };

/** A node of a schema. */
export type Node =
  | BooleanNode
  | StringNode
  | Int32Node
  | Int64Node
  | DoubleNode
  | BytesNode
  | QuantityNode
  | IntOrStringNode
  | TimeNode
  | MicroTimeNode
  | DurationNode
  | RawNode
  | StructuralNode
  | FieldsV1Node
  | ListNode
  | RecordNode
  | StructNode
  | EitherNode
  | LazyNode;

/** A node together with the TypeScript type of the values that it describes. */
export type Typed<T, N extends Node = Node> = N & { readonly "~type"?: T };

/** The TypeScript type that a schema describes. */
export type Infer<N> = N extends { readonly "~type"?: infer T } ? Exclude<T, undefined> : never;

/** A field of a struct: protobuf number, type, description and options. Made by `field`. */
export interface Field<T = unknown, Present extends boolean = boolean> extends FieldOptions {
  /** The protobuf number; 0 for a field that protobuf does not have. */
  readonly number: number;
  /** The type of its values. */
  readonly node: Typed<T>;
  /** Description in OpenAPI and `kubectl explain`. */
  readonly doc: string;
  /** Whether the key is always present, for `Infer`. Never set. */
  readonly "~present"?: Present;
}

/** Whether the key of a field with these options is always present. */
export type PresentOf<O extends FieldOptions> = O extends { written: "omitEmpty" } ? false
  : O extends { required: true } | { written: "always" } ? true
  : false;

/** A field with the properties that `Shape` uses: whether its key is always present, and whether it is inlined. */
export type FieldOf<T, O extends FieldOptions> =
  & Field<T, PresentOf<O>>
  & (O extends { inline: true } ? { readonly inline: true } : unknown);

/**
 * One field of a struct.
 *
 * @param number Its protobuf number, unique in the struct, from 1; 0 for a field that protobuf does not have. A released number cannot change.
 * @param node The type of its values.
 * @param doc Its description, shown in OpenAPI and `kubectl explain`. It cannot be empty.
 * @param options Whether it is required, its default, and what else differs from an optional field.
 */
export function field<T, const O extends FieldOptions<DefaultOf<T>> = Record<never, never>>(
  number: number,
  node: Typed<T>,
  doc: string,
  options?: O,
): FieldOf<T, O> {
  const required: FieldOptions = options?.required && !options.written ? { written: "always" } : {};
  const present: FieldOptions = hasPresence(node, options) ? { pointer: true } : {};
  return Object.freeze({ number, node, doc, ...required, ...present, ...options }) as unknown as FieldOf<T, O>; // what O adds to a field
}

/** Whether a default makes an absent value differ from a zero one. */
function hasPresence({ tag }: Node, options: FieldOptions = {}): boolean {
  const hasDefault = options.default !== undefined || options.unpublishedDefault !== undefined;
  return hasDefault && options.zeroIsAbsent !== true && tag !== "list" && tag !== "record";
}

/** The fields of a struct by their JSON names. */
export type Fields = Readonly<Record<string, Field<any, any>>>;
/** The names of the fields whose keys are always present. */
export type PresentKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<any, true> ? K : never }[keyof F];
/** The type of the values of a field. */
export type FieldType<X> = X extends Field<infer T, any> ? T : never;
/** The names of the fields whose structs are inlined. */
export type InlineKeys<F extends Fields> = { [K in keyof F]: F[K] extends { inline: true } ? K : never }[keyof F];
/** The type that has the properties of each member of a union. */
export type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** The keys that inlined structs add to the object that has them. */
export type Hoisted<F extends Fields> = [InlineKeys<F>] extends [never] ? unknown : Intersection<FieldType<F[InlineKeys<F>]>>;
/** The object type of a set of fields: keys that are always written are required, others optional; keys of inlined structs are included. */
export type Shape<F extends Fields> =
  & { readonly [K in Exclude<PresentKeys<F>, InlineKeys<F>>]: FieldType<F[K]> }
  & { readonly [K in Exclude<keyof F, PresentKeys<F> | InlineKeys<F>>]?: FieldType<F[K]> }
  & Hoisted<F>;

/** `true` or `false`. Its zero value is `false`. In protobuf it is `bool`, in CEL `bool`. */
export const boolean: Typed<boolean, BooleanNode> = Object.freeze({ tag: "boolean" });
/**
 * A text. Its zero value is `""`. `publish` can bound it with `maxLength`, `minLength` and `pattern`. In protobuf it is `string`, in CEL
 * `string`.
 */
export const string: Typed<string, StringNode> = Object.freeze({ tag: "string" });
/**
 * An integer between -2147483648 and 2147483647. A number with a decimal point or out of these bounds is refused with 400. Its zero value
 * is 0. `publish` can bound it with `minimum` and `maximum`. In protobuf it is `int32`, in CEL `int`.
 */
export const int32: Typed<number, Int32Node> = Object.freeze({ tag: "int32" });
/**
 * A 64-bit integer. Hooks get a `number` if it is a safe integer, else a `bigint`. Its zero value is 0. In protobuf it is `int64`, in CEL
 * `int`.
 */
export const int64: Typed<Int64, Int64Node> = Object.freeze({ tag: "int64" });
/** A 64-bit floating-point number. Its zero value is 0. In protobuf it is `double`, in CEL `double`. */
export const double: Typed<number, DoubleNode> = Object.freeze({ tag: "double" });
/**
 * Bytes: standard base64 with padding in JSON and in hooks. The zero value is `""`. Other text is refused with 400. In protobuf it is
 * `bytes`, in CEL `bytes`.
 */
export const bytes: Typed<Base64, BytesNode> = Object.freeze({ tag: "bytes" });
/**
 * A quantity such as `100m` or `1Gi`. Clients may also send a number. Hooks get text in canonical form; `amountOf` and `compareQuantities`
 * calculate with it. Its zero value is `"0"`. In protobuf it is a message `Quantity` with the text, in CEL `string`; `quantity(self.cpu)`
 * converts it.
 */
export const quantity: Typed<Quantity, QuantityNode> = Object.freeze({ tag: "quantity" });
/**
 * A 32-bit integer or a text, such as a port by number or by name. Its zero value is 0. In protobuf it is a message `IntOrString`, in CEL
 * `dyn`, to be compared after a check of `type(self.port)`.
 */
export const intOrString: Typed<number | string, IntOrStringNode> = Object.freeze({ tag: "intOrString" });
/**
 * A time in RFC 3339. Other zones are converted to UTC, and fractions of seconds are dropped. Its zero value is `null`. In protobuf it is a
 * message `Timestamp`, in CEL `timestamp`.
 */
export const time: Typed<Time | null, TimeNode> = Object.freeze({ tag: "time" });
/**
 * A time in RFC 3339 with six digits of microseconds, in UTC. Its zero value is `null`. In protobuf it is a message `Timestamp` with
 * nanoseconds, in CEL `timestamp`.
 */
export const microTime: Typed<MicroTime | null, MicroTimeNode> = Object.freeze({ tag: "microTime" });
/**
 * A duration in Go's form, such as `1m30s`. It is stored in canonical form: `90s` becomes `1m30s`. Its zero value is `"0s"`. In protobuf it
 * is a message `Duration` with nanoseconds, in CEL `duration`.
 */
export const duration: Typed<string, DurationNode> = Object.freeze({ tag: "duration" });
/**
 * Any JSON value, stored as the client wrote it, with its unknown fields and the order of its members. Published as an object without
 * properties. An absent value is `null`. In protobuf it is a message with the JSON text. CEL does not see it.
 */
export const raw: Typed<Json, RawNode> = Object.freeze({ tag: "raw" });
/**
 * A value of a custom resource. Definitions of custom resources make this node; plugins use the other nodes. It has no protobuf form.
 *
 * @param schema The structural schema that decodes, prunes and validates the value, and that OpenAPI and CEL see.
 */
export function structural(schema: StructuralSchema): Typed<Json, StructuralNode> {
  return Object.freeze({ tag: "structural", schema });
}
/**
 * Any JSON value, such as a default in a schema. Members of objects are stored in alphabetical order, and OpenAPI publishes no type. An
 * absent value is `null`. In protobuf it is a message with the JSON text. CEL does not see it.
 */
export const anyJson: Typed<Json, RawNode> = Object.freeze({ tag: "raw", sorted: true });
/** The set of fields that a manager owns in server-side apply. Only `metadata.managedFields` uses it. */
export const fieldsV1: Typed<Json, FieldsV1Node> = Object.freeze({ tag: "fieldsV1" });

/**
 * A text that is one of these values. OpenAPI publishes `enum` in this order, and the TypeScript type is their union. `checker` reports
 * other values as `Unsupported value`; the empty text of an optional field is an absent value. In protobuf and CEL it is `string`.
 */
export function oneOf<const V extends readonly string[]>(...values: V): Typed<V[number], StringNode> {
  return Object.freeze({ tag: "string", oneOf: Object.freeze(values) });
}
/**
 * The same node with the name of its type in Go, such as `v1.PullPolicy`. Only the text of decoding errors changes. For kinds whose errors must equal
 * those of Go programs.
 */
export function named<N extends StringNode | RecordNode | ListNode>(goName: string, node: N): N {
  const renamed: N = { ...node, goName };
  return Object.freeze(renamed);
}
/**
 * A list that server-side apply treats as one value: the manager that applies it owns the whole list. OpenAPI publishes
 * `x-kubernetes-list-type: atomic`. An empty list is the same as an absent one. `publish` can bound it with `maxItems` and `minItems`. In
 * protobuf it is a repeated field, in CEL `list`.
 */
export function list<T>(of: Typed<T>): Typed<readonly T[], ListNode> {
  return Object.freeze({ tag: "list", of, type: "atomic" });
}
/** As `list`, but OpenAPI publishes no list type, as in older kinds of Kubernetes. New kinds use `list`, `setOf` or `mapBy`. */
export function plainList<T>(of: Typed<T>): Typed<readonly T[], ListNode> {
  return Object.freeze({ tag: "list", of, type: "atomic", published: false });
}
/**
 * A list of unique scalars. Server-side apply merges it: each manager owns the items that it applies. OpenAPI publishes
 * `x-kubernetes-list-type: set`. `checker` reports repeated items as `Duplicate value`. In protobuf it is a repeated field, in CEL `list`,
 * compared without order.
 */
export function setOf<T>(of: Typed<T>): Typed<readonly T[], ListNode> {
  return Object.freeze({ tag: "list", of, type: "set" });
}
/**
 * A list of structs, each identified by the values of its keys. Server-side apply merges the items with equal keys field by field. OpenAPI
 * publishes `x-kubernetes-list-type: map` and the keys. `checker` reports items with the same keys as `Duplicate value`. In protobuf it is
 * a repeated field, in CEL `list`.
 *
 * @param keys Names of fields of the struct.
 */
export function mapBy<T>(keys: readonly (keyof T & string)[], of: Typed<T>): Typed<readonly T[], ListNode> {
  return Object.freeze({ tag: "list", of, type: "map", keys: Object.freeze([...keys]) });
}
/**
 * A JSON object with arbitrary keys and values of one type, such as labels. Server-side apply merges it key by key. An empty record is the
 * same as an absent one. JSON and protobuf have its keys in alphabetical order. `publish` can bound it with `maxProperties`. In protobuf it
 * is `map<string, ...>`, in CEL `map`.
 */
export function record<T>(of: Typed<T>): Typed<Readonly<Record<string, T>>, RecordNode> {
  return Object.freeze({ tag: "record", of });
}
/** As `record`, but server-side apply treats it as one value, with one owner. OpenAPI publishes `x-kubernetes-map-type: atomic`. */
export function atomicRecord<T>(of: Typed<T>): Typed<Readonly<Record<string, T>>, RecordNode> {
  return Object.freeze({ tag: "record", of, atomic: true });
}
/**
 * The node that `get` returns: for a struct that contains itself, and for one that is defined further down in the file. TypeScript needs a
 * written type of the recursive struct. CEL does not see a struct within itself.
 */
export function lazy<T>(get: () => Typed<T>): Typed<T, LazyNode> {
  return Object.freeze({ tag: "lazy", get });
}
/**
 * An object with named fields. JSON has its keys in the order of `fields`. A field that is not named is dropped; with
 * `fieldValidation=Strict` it is refused with 400, and with `Warn` (the default of requests) the answer has a warning. OpenAPI publishes
 * each struct as one component. In protobuf it is a message, in CEL an object.
 *
 * @param name In upper camel case, unique in its package.
 */
export function struct<const F extends Fields>(name: string, fields: F, options: StructOptions = {}): Typed<Shape<F>, StructNode> {
  return Object.freeze({ tag: "struct", name, fields: Object.freeze(fields), doc: "", ...options }) as Typed<Shape<F>, StructNode>;
}
/**
 * The function `struct` for the types of one package.
 *
 * @param home The group version that becomes the option `package`.
 */
export function structsOf(home: string): typeof struct {
  return (name, fields, options) => struct(name, fields, { package: home, ...options });
}

/**
 * An object, or a value of another JSON type: a boolean or a list. `null` is the empty value. Unknown fields in the object are dropped
 * without a report. OpenAPI version 3 publishes no type. In protobuf it is a message with one field for each of the two, whose numbers are
 * `number`. CEL does not see it.
 *
 * @param options `refusal` is the error for values of any other JSON type. Without it they are the empty value.
 */
export function either<A, B>(
  name: string,
  object: { readonly number: number; readonly node: Typed<A> },
  other: { readonly number: number; readonly node: Typed<B, BooleanNode | ListNode> },
  options: { readonly package?: string; readonly doc: string; readonly refusal?: string },
): Typed<A | B | null, EitherNode> {
  return Object.freeze({
    tag: "either",
    name,
    object: object.node,
    objectNumber: object.number,
    other: other.node,
    otherNumber: other.number,
    ...options,
  });
}

/** The node, or the target of a `lazy` node. */
export function resolve(node: Node): Exclude<Node, LazyNode> {
  let at = node;
  while (at.tag === "lazy") at = at.get();
  return at;
}

/** All structs of a schema, each once, in the order of the tree. */
export function structsIn(root: Node): readonly StructNode[] {
  const seen = new Set<Node>();
  const waiting: Node[] = [root];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const node = resolve(at);
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.tag === "list" || node.tag === "record") waiting.push(node.of);
    if (node.tag === "either") waiting.push(node.other, node.object);
    if (node.tag === "struct") { for (const field of Object.values(node.fields)) waiting.push(field.node); }
  }
  return [...seen].filter((node) => node.tag === "struct");
}

type Entries<R> = {
  readonly [T in Exclude<Node["tag"], "lazy">]: (node: Extract<Node, { tag: T }>, go: (node: Node) => R) => R;
};
type Containers = "list" | "record" | "struct";
/**
 * One entry per tag: a new tag is a type error in every fold without an entry for it. `go` is the fold itself. A fold that treats scalars
 * alike has an entry `scalar` and entries for the exceptions; containers always have their entries.
 */
export type Fold<R> = Entries<R> | Pick<Entries<R>, Containers> & Partial<Omit<Entries<R>, Containers>> & { readonly scalar: () => R };

/**
 * The function that folds any node by the table, memoised by node. For a reference to a recursive struct, before its fold is complete,
 * `late` returns a proxy that calls `get` at its first use.
 */
export function fold<R>(table: Fold<R>, late: (get: () => R) => R): (node: Node) => R {
  const done = new WeakMap<Node, R>();
  const begun = new WeakSet<Node>();
  function go(unresolved: Node): R {
    const node = resolve(unresolved);
    const known = done.get(node);
    if (known !== undefined) return known;
    if (begun.has(node)) return late(() => done.get(node)!);
    begun.add(node);
    const entry = (table as Partial<Entries<R>>)[node.tag] as ((node: Node, go: (node: Node) => R) => R) | undefined; // takes nodes of its tag
    const made = entry !== undefined ? entry(node, go) : (table as { readonly scalar: () => R }).scalar(); // the types have one of both
    done.set(node, made);
    return made;
  }
  return go;
}
