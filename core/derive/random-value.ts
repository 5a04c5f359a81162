/**
 * Random JSON that decodes as a value of a node: what a client might send. Every type of field occurs, absent and present, with the values at its
 * bounds and in other notations than the canonical one. Rules of a kind are not known here: a value may be invalid.
 */
import { append } from "../append.ts";
import type { Json, JsonObject } from "../json.ts";
import { fold, type ListNode, type Node, type StructNode } from "../schema.ts";
import { base64Of } from "../scalars/base64.ts";
import { otherMembers, type StructuralSchema } from "../structural-schema.ts";
import { type Member, membersOf } from "./members.ts";
import { valueText } from "../value-text.ts";

/** The source of random numbers, and how many values may still be made: objects stay small. */
class Source {
  readonly random: () => number;
  left: number;
  constructor(random: () => number, left: number) {
    this.random = random;
    this.left = left;
  }
  chance(probability: number): boolean {
    return this.random() < probability;
  }
  upTo(most: number): number {
    return Math.floor(this.random() * (most + 1));
  }
  among<T>(values: readonly T[]): T {
    return values[this.upTo(values.length - 1)]!;
  }
  /** A few values, none when enough have been made. */
  few(make: () => Json): readonly Json[] {
    const count = this.left <= 0 ? 0 : this.upTo(3);
    return Array.from({ length: count }, make);
  }
}

/** Values of one object, approximately. */
const valuesMax = 150;

/** Random JSON of a node. A kind gets `kind` and `apiVersion` from the caller. */
export function randomValue(node: Node, random: () => number): Json {
  return generate(node)(new Source(random, valuesMax));
}

const texts = [
  "",
  "a",
  "some text",
  "true",
  "null",
  "012",
  "1e3",
  "2024-01-02",
  "- a: b #",
  "žluťoučký 🚣",
  '<a href="x">&\u2028\\\n\t\u0007</a>',
  "y".repeat(300),
];
const keys = ["a", "b.c/d", "UPPER", "1", "with space", "constructor", "__proto__", "ž"];
const int32s = [0, 1, -1, 7, 65_536, 2 ** 31 - 1, -(2 ** 31)];
const int64s: readonly (number | bigint)[] = [...int32s, 2 ** 53 - 1, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
const doubles = [0, 1, -1, 0.5, 1e21, 1e-7, 123456789.125];
const quantities = ["0", "1", "1Gi", "1024Mi", "250m", "0.25", "1.5", "1e3", "12E", "100n", "-1"];
const times = ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05+02:00", "1999-12-31T23:59:59Z"];
const microTimes = ["2024-01-02T03:04:05.678901Z", "2024-01-02T03:04:05.000000Z", "2024-01-02T03:04:05.000001+02:00"];
const durations = ["0s", "1s", "1m30s", "90s", "1h0m0s", "1.5s", "-2ms"];

type Generate = (source: Source) => Json;
const generate: (node: Node) => Generate = fold<Generate>({
  boolean: () => (source) => source.chance(0.5),
  string: ({ oneOf }) => (source) => source.among(oneOf ?? texts),
  int32: () => (source) => source.among(int32s),
  int64: () => (source) => source.among(int64s),
  double: () => (source) => source.among(doubles),
  bytes: () => (source) => base64Of(Uint8Array.from({ length: source.upTo(5) }, () => source.upTo(255))),
  quantity: () => (source) => source.among(quantities),
  intOrString: () => (source) => source.chance(0.5) ? source.among(int32s) : source.among(texts),
  time: () => (source) => source.among(times),
  microTime: () => (source) => source.among(microTimes),
  duration: () => (source) => source.among(durations),
  raw: () => (source) => randomObject(source, 2),
  structural: ({ schema }) => (source) => structuralValue(schema, source),
  fieldsV1: () => (source) => source.among<JsonObject>([{}, { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } }]),
  list: (node, go) => {
    const make = go(node.of);
    return (source) => distinct(node, source.few(() => make(source)));
  },
  record: (node, go) => {
    const make = go(node.of);
    return (source) => Object.fromEntries(source.few(() => null).map(() => [source.among(keys), make(source)]));
  },
  either: ({ object, other }, go) => {
    const [first, second] = [go(object), go(other)];
    return (source) => source.left <= 0 || source.chance(0.5) ? second(source) : first(source);
  },
  struct: randomStruct,
}, (get) => (source) => get()(source));

function randomStruct(node: StructNode, go: (node: Node) => Generate): Generate {
  const members = membersOf(node).map((member) => ({ ...member, make: go(member.node) }));
  const { union, whole } = node;
  return (source) => {
    // One member of a union, as its discriminator says.
    const chosen = union === undefined ? undefined : source.among(Object.keys(union.members));
    const entries: [string, Json][] = [];
    for (const member of members) {
      const { key, make } = member;
      if (union !== undefined && Object.hasOwn(union.members, key) && key !== chosen) continue;
      if (key === union?.discriminator) entries.push([key, union.members[chosen!]!]);
      else if (isPresent(member, source)) {
        source.left--;
        entries.push([key, make(source)]);
      }
    }
    if (whole !== undefined) append(entries, unnamedMembers(whole, source));
    return Object.fromEntries(entries);
  };
}

function isPresent({ field, pointer }: Member, source: Source): boolean {
  if (field.required === true) return !pointer || source.left > 0;
  return source.left > 0 && source.chance(0.5);
}

/** Returns the list without repetitions of what must be unique in it, and without items that have no key: structs leave out empty text. */
function distinct({ type, keys = [] }: Pick<ListNode, "type" | "keys">, items: readonly Json[]): readonly Json[] {
  if (type === "atomic") return items;
  const keysOf = (item: Json) => keys.map((key) => (item as JsonObject)[key] ?? null); // items of such a list are objects
  const keyed = type === "set" ? items : items.filter((item) => keysOf(item).some((key) => key !== null && key !== ""));
  return [...new Map(keyed.map((item) => [textOf(type === "set" ? item : keysOf(item)), item])).values()];
}
const textOf = (value: Json): string => valueText(value);

/** Any JSON, at most this deep. */
function anyValue(source: Source, depth: number): Json {
  source.left--;
  const kind = depth === 0 || source.left <= 0 ? source.upTo(3) : source.upTo(5);
  if (kind === 0) return source.among(texts);
  if (kind === 1) return source.among([0, 1, -1, 0.5, 2 ** 53 - 1]);
  if (kind === 2) return source.chance(0.5);
  if (kind === 3) return source.among(["", "a"]);
  return kind === 4 ? source.few(() => anyValue(source, depth - 1)) : randomObject(source, depth - 1);
}
function randomObject(source: Source, depth: number): JsonObject {
  return Object.fromEntries(source.few(() => null).map(() => [source.among(keys), anyValue(source, depth)]));
}

/** Returns a value of a structural schema. Patterns, rules and conditions are not known here. */
function structuralValue(schema: StructuralSchema, source: Source): Json {
  source.left--;
  if (schema.enum !== undefined) return source.among(schema.enum);
  if (schema.nullable === true && source.chance(0.2)) return null;
  if (schema["x-kubernetes-int-or-string"] === true) return source.chance(0.5) ? source.among(int32s) : source.among(texts);
  switch (schema.type) {
    case "object":
      return structuralObject(schema, source);
    case "array":
      return structuralList(schema, source);
    case "boolean":
      return source.chance(0.5);
    case "integer":
      return clamp(schema, source.among(int32s));
    case "number":
      return clamp(schema, source.among(doubles));
    case "string":
      return structuralText(schema, source);
    default:
      return anyValue(source, 2);
  }
}

function structuralText({ format, minLength = 0, maxLength = Infinity }: StructuralSchema, source: Source): string {
  if (format === "date-time") return source.among(times);
  if (format === "byte") return base64Of(Uint8Array.from({ length: source.upTo(5) }, () => source.upTo(255)));
  if (format === "duration") return source.among(durations);
  return [...source.among(texts).padEnd(minLength, "x")].slice(0, maxLength).join("");
}

function clamp({ minimum = -Infinity, maximum = Infinity }: StructuralSchema, value: number): number {
  return Math.max(minimum, Math.min(maximum, value));
}

function structuralList(schema: StructuralSchema, source: Source): readonly Json[] {
  const { items = {}, minItems = 0, maxItems = Infinity, uniqueItems = false } = schema;
  const made = [...source.few(() => structuralValue(items, source))];
  while (made.length < minItems) made.push(structuralValue(items, source));
  const listType = schema["x-kubernetes-list-type"] ?? "atomic", listKeys = schema["x-kubernetes-list-map-keys"];
  const type = uniqueItems ? "set" : listType;
  return distinct({ type, ...(listKeys === undefined ? {} : { keys: listKeys }) }, made).slice(0, maxItems);
}

function structuralObject(schema: StructuralSchema, source: Source): JsonObject {
  const { properties = {}, required = [] } = schema;
  const named = Object.entries(properties).flatMap(([key, inner]): [string, Json][] =>
    required.includes(key) || (source.left > 0 && source.chance(0.6)) ? [[key, structuralValue(inner, source)]] : []
  );
  const head: JsonObject = schema["x-kubernetes-embedded-resource"] === true
    ? { apiVersion: "v1", kind: "Embedded", metadata: { name: "embedded", labels: { a: "b" } } }
    : {};
  return { ...head, ...Object.fromEntries([...named, ...unnamedMembers(schema, source)]) };
}

/** Members that the schema allows and does not name. */
function unnamedMembers(schema: StructuralSchema, source: Source): readonly [string, Json][] {
  const inner = otherMembers(schema) ?? (schema["x-kubernetes-preserve-unknown-fields"] === true ? {} : undefined);
  if (inner === undefined) return [];
  const named = new Set([...Object.keys(schema.properties ?? {}), "apiVersion", "kind", "metadata"]);
  return source.few(() => null).map(() => source.among(keys)).filter((key) => !named.has(key))
    .map((key): [string, Json] => [key, structuralValue(inner, source)]);
}
