/** Types of schemas with the bounds of their values: the largest number of elements, and the length of the shortest value as JSON. */
import type { Range } from "../declarations.ts";
import { otherSchema, type StructuralSchema } from "./structural.ts";
import type { SizeSource } from "../cost/estimate.ts";
import { boolType, bytesType, doubleType, durationType, dynType, intType, type SimpleType, stringType, timestampType } from "../types.ts";
import { utf8Length } from "../../core/scalars/utf8.ts";
import { escapeName } from "./escape.ts";
import { asResource } from "./resource-root.ts";

/** The type of a node of a schema. */
export type Declared = DeclaredScalar | DeclaredList | DeclaredMap | DeclaredObject;
interface Bounds {
  /** Largest number of elements, entries or characters; 0 for what has no size. */
  readonly elementsMax: bigint;
  /** Length of the shortest value as JSON, in bytes. */
  readonly bytesMin: number;
}
export interface DeclaredScalar extends Bounds {
  readonly tag: "scalar";
  readonly type: SimpleType;
}
export interface DeclaredList extends Bounds {
  readonly tag: "list";
  readonly of: Declared;
}
export interface DeclaredMap extends Bounds {
  readonly tag: "map";
  readonly of: Declared;
}
export interface DeclaredObject extends Bounds {
  readonly tag: "object";
  /** Fields by identifier. */
  readonly fields: ReadonlyMap<string, Declared>;
}

/** The size of a request that estimates assume, in bytes. */
export const requestBytes = 3 * 1024 * 1024;
const textMax = BigInt(requestBytes - 2);

function scalar(type: SimpleType, bytesMin: number, elementsMax = 0n): DeclaredScalar {
  return { tag: "scalar", type, bytesMin, elementsMax };
}

const scalars: ReadonlyMap<string, DeclaredScalar> = new Map([
  ["boolean", scalar(boolType, 4)],
  ["number", scalar(doubleType, 1)],
  ["integer", scalar(intType, 1)],
]);
/** Keys of maps have no estimated size. */
const keyType = scalar(stringType, 2);

/** Returns a bound of a schema; negative ones are 0. */
function bound(value: number | bigint): bigint {
  const whole = typeof value === "bigint" ? value : BigInt(Math.trunc(value));
  return whole < 0n ? 0n : whole;
}
const bytesOfCharacters = (characters: bigint): bigint => BigInt.asIntN(64, characters * 4n);

/** The types of one schema. Each node is declared once. */
export class Declarations {
  readonly #declared = new Map<StructuralSchema, Declared | undefined>();
  readonly #roots = new Map<StructuralSchema, Declared | undefined>();

  /** The type of a node; undefined if its values are not visible to expressions. `isRoot`: it is the root of a resource. */
  of(schema: StructuralSchema, isRoot: boolean): Declared | undefined {
    const known = isRoot ? this.#roots : this.#declared;
    if (known.has(schema)) return known.get(schema);
    const declared = this.#declare(schema, isRoot);
    known.set(schema, declared);
    return declared;
  }

  #inner(schema: StructuralSchema): Declared | undefined {
    return this.of(schema, schema["x-kubernetes-embedded-resource"] === true);
  }

  #declare(own: StructuralSchema, isRoot: boolean): Declared | undefined {
    const { maxLength } = own;
    if (own["x-kubernetes-int-or-string"] === true) {
      return scalar(dynType, 1, maxLength === undefined ? textMax : bytesOfCharacters(bound(maxLength)));
    }
    const schema = isRoot ? asResource(own) : own;
    switch (schema.type) {
      case "array":
        return this.#list(schema);
      case "object":
        return this.#object(schema);
      case "string":
        return declaredText(schema);
      default:
        return scalars.get(schema.type ?? "");
    }
  }

  #list({ items, maxItems }: StructuralSchema): Declared | undefined {
    const of = items === undefined || items === null ? undefined : this.#inner(items);
    if (of === undefined) return undefined;
    const fitting = BigInt(Math.floor((requestBytes - 2) / (of.bytesMin + 1)));
    return { tag: "list", of, bytesMin: 2, elementsMax: maxItems === undefined ? fitting : bound(maxItems) };
  }

  #object(schema: StructuralSchema): Declared | undefined {
    const others = otherSchema(schema);
    return others === undefined ? this.#fields(schema) : this.#map(schema, others);
  }

  #map({ maxProperties }: StructuralSchema, others: StructuralSchema): Declared | undefined {
    const of = this.#inner(others);
    if (of === undefined) return undefined;
    const fitting = BigInt(Math.floor((requestBytes - 2) / (of.bytesMin + 6)));
    return { tag: "map", of, bytesMin: 2, elementsMax: maxProperties === undefined ? fitting : bound(maxProperties) };
  }

  #fields({ properties = {}, required = [] }: StructuralSchema): DeclaredObject {
    const fields = new Map<string, Declared>(), mandatory = new Set(required);
    let bytesMin = 2;
    for (const [name, property] of Object.entries(properties)) {
      const declared = this.#inner(property);
      if (declared === undefined) continue;
      const identifier = escapeName(name);
      if (identifier !== undefined) fields.set(identifier, declared);
      if (mandatory.has(name) && (property.default ?? null) === null) bytesMin += utf8Length(name) + declared.bytesMin + 4;
    }
    return { tag: "object", fields, bytesMin, elementsMax: 0n };
  }
}

function declaredText({ format, maxLength, enum: values = [] }: StructuralSchema): DeclaredScalar {
  switch (format) {
    case "byte":
      return scalar(bytesType, 2, maxLength === undefined ? textMax : bound(maxLength));
    case "duration":
      return scalar(durationType, 3, 32n);
    case "date":
      return scalar(timestampType, 12, 12n);
    case "date-time":
      return scalar(timestampType, 21, 32n);
  }
  if (maxLength !== undefined) return scalar(stringType, 2, bytesOfCharacters(bound(maxLength)));
  if (values.length === 0) return scalar(stringType, 2, textMax);
  let longest = 0;
  for (const value of values) if (typeof value === "string") longest = Math.max(longest, utf8Length(value));
  return scalar(stringType, 2, BigInt(longest));
}

/** Returns the sizes of what the variables `self` and `oldSelf` contain. */
export function sizesOf(self: Declared): SizeSource {
  return (path) => {
    let at = self;
    for (let index = 1; index < path.length; index++) {
      const inner = step(at, path[index]!);
      if (inner === undefined) return undefined;
      at = inner;
    }
    const range: Range = { min: 0n, max: BigInt.asUintN(64, at.elementsMax) };
    return range;
  };
}

function step(declared: Declared, name: string): Declared | undefined {
  switch (name) {
    case "@items":
    case "@values":
      return declared.tag === "list" || declared.tag === "map" ? declared.of : undefined;
    case "@keys":
      return declared.tag === "map" ? keyType : undefined;
    default:
      return declared.tag === "object" ? declared.fields.get(name) : undefined;
  }
}
