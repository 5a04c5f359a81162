import { membersOf } from "../../core/derive/members.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { type Node, resolve } from "../../core/schema.ts";
import { valueText } from "../../core/value-text.ts";
import { type Path, replaced, shortened } from "./changes.ts";
import type { Words } from "./words.ts";

/** An object with one member of its schema added, changed or removed. */
export interface Mutation {
  readonly what: string;
  readonly path: Path;
  /** Undefined: the member is removed. */
  readonly value: Json | undefined;
  readonly object: JsonObject;
}

/** A place of an object where its schema allows a value. */
interface Site {
  readonly path: Path;
  readonly node: Node;
  readonly value: Json | undefined;
}

/**
 * Members that are not changed: those that clients do not write, owners (where they do not exist, the objects end), and a field that a 1.36 which
 * emulates 1.35 no longer has.
 */
const unwritten = new Set([
  "managedFields",
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "kind",
  "apiVersion",
  "selfLink",
  "ownerReferences",
  "workloadRef",
]);
const texts = [
  "",
  "a",
  "a-b",
  "example.com/a",
  "Not_A-Name!",
  "a".repeat(64),
  "a".repeat(300),
  "10.0.0.1",
  "fd00::1",
  "10.0.0.0/24",
  "5",
  "50%",
  "1Gi",
  "*",
];
const numbers = [0, 1, -1, 2, 7, 80, 100, 443, 30_000, 65_535, 65_536, 2 ** 31 - 1];
const quantities = ["0", "1", "1Gi", "250m", "2", "-1", "100n"];
const times = ["2024-01-02T03:04:05Z", "1999-12-31T23:59:59Z"], microTime = "2024-01-02T03:04:05.678901Z";

/** Makes changes of objects of one schema. */
export class Mutations {
  readonly #schema: Node;
  readonly #words: Words;
  readonly #random: () => number;

  constructor(schema: Node, words: Words, random: () => number) {
    this.#schema = schema;
    this.#words = words;
    this.#random = random;
  }

  among<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** The object with one change. */
  next(object: JsonObject): Mutation {
    const all = sitesOf(this.#schema, object), outside = all.filter(({ path }) => path[0] !== "metadata");
    const concerned = outside.length > 0 && this.chance(0.93) ? outside : all;
    const present = concerned.filter(({ value }) => value !== undefined), absent = concerned.filter(({ value }) => value === undefined);
    const { path, node, value } = this.among(absent.length > 0 && (present.length === 0 || this.chance(0.55)) ? absent : present);
    const other = value !== undefined && this.chance(0.25) ? undefined : this.#valueOf(keyOf(path), node, 3);
    const what = `${path.join(".")} ${other === undefined ? "removed" : `= ${shortened(valueText(other))}`}`;
    return { what, path, value: other, object: replaced(object, path, other) as JsonObject }; // the path is not empty
  }

  /** A value that a member with this name could have, seldom one that it could not. */
  #valueOf(key: string, node: Node, depth: number): Json {
    const inner = resolve(node);
    if (this.chance(0.02)) return this.among<Json>([null, "text", 7, [], {}]);
    const recorded = (this.#words.get(key) ?? []).filter((value) => couldBe(inner, value));
    if (recorded.length > 0 && this.chance(0.6)) return this.among(recorded);
    switch (inner.tag) {
      case "boolean":
        return this.chance(0.5);
      case "string":
        return inner.oneOf !== undefined && this.chance(0.8) ? this.among(inner.oneOf) : this.among(texts);
      case "int32":
      case "int64":
        return this.among(numbers);
      case "double":
        return this.among([0, 1, 0.5]);
      case "bytes":
        return this.among(["", "YQ==", "AAEC"]);
      case "quantity":
        return this.among(quantities);
      case "intOrString":
        return this.among<Json>([0, 1, 80, -1, "http", "50%", "101%", ""]);
      case "time":
        return this.among(times);
      case "microTime":
        return microTime;
      case "duration":
        return this.among(["0s", "1m0s"]);
      case "list":
        return Array.from({ length: Math.floor(this.#random() * 3) }, () => this.#valueOf(key, inner.of, depth - 1));
      case "record":
        return Object.fromEntries(
          Array.from(
            { length: Math.floor(this.#random() * 3) },
            () => [this.among(["a", "example.com/b", "cpu", "memory", "C D"]), this.#valueOf("", inner.of, depth - 1)],
          ),
        );
      case "struct":
        return Object.fromEntries(
          membersOf(inner).filter(({ key, field }) => !unwritten.has(key) && (field.required === true || (depth > 0 && this.chance(0.3))))
            .map(({ key, node }) => [key, this.#valueOf(key, node, depth - 1)]),
        );
      default:
        return {};
    }
  }
}

/** The name of the member that a path leads to, without indexes of lists. */
function keyOf(path: Path): string {
  return String(path.findLast((part) => typeof part === "string") ?? "");
}

/** All places of the object: members that are present or absent, items, entries. */
function sitesOf(node: Node, object: JsonObject): readonly Site[] {
  const sites: Site[] = [];
  const visit = (of: Node, value: Json | undefined, path: Path): void => {
    const inner = resolve(of);
    if (path.length > 0) sites.push({ path, node: inner, value });
    if (value === undefined) return;
    if (inner.tag === "struct" && isObject(value)) {
      for (const { key, node } of membersOf(inner)) if (!unwritten.has(key)) visit(node, value[key], [...path, key]);
    } else if (inner.tag === "list" && Array.isArray(value)) {
      (value as readonly Json[]).forEach((item, index) => visit(inner.of, item, [...path, index]));
    } else if (inner.tag === "record" && isObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(inner.of, member, [...path, key]);
    }
  };
  visit(node, object, []);
  return sites;
}

/** Whether a recorded value has the JSON type of a node. */
function couldBe(node: Exclude<Node, { tag: "lazy" }>, value: Json): boolean {
  switch (node.tag) {
    case "boolean":
      return typeof value === "boolean";
    case "int32":
    case "int64":
    case "double":
      return typeof value === "number";
    case "intOrString":
    case "quantity":
      return typeof value === "number" || typeof value === "string";
    case "list":
      return Array.isArray(value) && value.every((item: Json) => couldBe(resolve(node.of), item));
    case "struct": {
      const keys = new Set(membersOf(node).map(({ key }) => key));
      return isObject(value) && Object.keys(value).every((key) => keys.has(key));
    }
    case "record":
      return isObject(value) && Object.values(value).every((member) => couldBe(resolve(node.of), member));
    case "raw":
    case "structural":
    case "fieldsV1":
    case "either":
      return isObject(value);
    default:
      return typeof value === "string";
  }
}
