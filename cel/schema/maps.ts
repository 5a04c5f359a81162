/** Objects and maps of schemas. */
import type { Json, JsonObject } from "../../core/json.ts";
import { isMarkedDouble } from "../../core/tree/doubles.ts";
import { equal } from "../value/equal.ts";
import { equalJson, keysOfJson } from "../value/json.ts";
import { spend } from "../value/work.ts";
import { CelError, MapValue, type Value } from "../values.ts";
import { escapeName, unescapeName } from "./escape.ts";
import { hasProperties } from "./resource-root.ts";
import { otherSchema, type StructuralSchema } from "./structural.ts";

/** Makes the value of JSON at a node of a schema. `isDouble`: a number was written with a fraction, although it is integral. */
export type MakeValue = (json: Json, schema: StructuralSchema, isDouble?: boolean) => Value;

/** A property by its identifier. */
interface Property {
  readonly name: string;
  readonly schema: StructuralSchema;
}

/** What lookups in objects of a schema need. */
interface Members {
  /** Properties by identifier; undefined for a map. */
  readonly byIdentifier: ReadonlyMap<string, Property> | undefined;
  /** Identifiers by name; names without identifier stand for themselves. */
  readonly identifiers: ReadonlyMap<string, string>;
  readonly others: StructuralSchema | undefined;
}

const known = new WeakMap<StructuralSchema, Members>();

function membersOf(schema: StructuralSchema): Members {
  let members = known.get(schema);
  if (members === undefined) known.set(schema, members = makeMembers(schema));
  return members;
}

function makeMembers(schema: StructuralSchema): Members {
  if (!hasProperties(schema)) return { byIdentifier: undefined, identifiers: new Map(), others: otherSchema(schema) };
  const byIdentifier = new Map<string, Property>(), identifiers = new Map<string, string>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const identifier = escapeName(name);
    identifiers.set(name, identifier ?? name);
    if (identifier !== undefined) byIdentifier.set(identifier, { name, schema: property });
  }
  return { byIdentifier, identifiers, others: undefined };
}

const noOverload = new CelError("no such overload");

/** An object with properties, or a map. */
export class TypedMap extends MapValue {
  readonly json: JsonObject;
  readonly #schema: StructuralSchema;
  readonly #members: Members;
  readonly #make: MakeValue;
  constructor(json: JsonObject, schema: StructuralSchema, make: MakeValue) {
    super();
    this.json = json;
    this.#schema = schema;
    this.#members = membersOf(schema);
    this.#make = make;
  }

  override get size(): number {
    return keysOfJson(this.json).length;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== "string") return noOverload;
    const { byIdentifier, others } = this.#members;
    if (byIdentifier === undefined) return others === undefined ? undefined : this.#member(key, others);
    const property = byIdentifier.get(key) ?? this.#unescaped(key);
    if (property === undefined) return undefined;
    const member = ownMember(this.json, property.name);
    // Null is an absent property.
    return member === undefined || member === null ? undefined : this.#make(member, property.schema, isDouble(this.json, property.name));
  }

  #member(key: string, schema: StructuralSchema): Value | undefined {
    const member = ownMember(this.json, key);
    return member === undefined ? undefined : this.#make(member, schema, isDouble(this.json, key));
  }

  /** A property whose name is written without escapes in brackets. */
  #unescaped(key: string): Property | undefined {
    const name = unescapeName(key), { properties = {} } = this.#schema;
    if (name === undefined || !Object.hasOwn(properties, name)) return undefined;
    return { name, schema: properties[name]! };
  }

  override keys(): readonly string[] {
    const { byIdentifier, identifiers, others } = this.#members;
    const keys = keysOfJson(this.json);
    if (byIdentifier === undefined) return others === undefined ? [] : keys;
    spend(keys.length);
    return keys.flatMap((key) => identifiers.get(key) ?? []);
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof MapValue)) return noOverload;
    const keys = keysOfJson(this.json);
    if (keys.length !== other.size) return false;
    for (const key of keys) {
      spend(4);
      const same = this.#isSame(key, other);
      if (same !== true) return same;
    }
    return true;
  }

  #isSame(key: string, other: MapValue): boolean | CelError {
    const { byIdentifier, identifiers, others } = this.#members;
    if (byIdentifier === undefined ? others === undefined : !identifiers.has(key)) {
      if (!(other instanceof TypedMap)) return noOverload;
      const right = ownMember(other.json, key);
      return right === undefined || equalJson(this.json[key]!, right);
    }
    // The name stands for the identifier here, as upstream has it.
    const left = this.find(key), right = other.find(key);
    if (left === undefined || right === undefined) return left === right;
    return equal(left, right);
  }
}

/** Whether a member is a number that was written with a fraction, although it is integral. */
export function isDouble(container: JsonObject | readonly Json[], key: string | number): boolean {
  return typeof (container as JsonObject)[key] === "number" && isMarkedDouble(container, key);
}

function ownMember(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
