/** Compiles the rules of a definition, node by node, with a bound on the evaluations of each in one object. */
import { rangeMax } from "../cost/range.ts";
import { Declarations, type Declared } from "./declared.ts";
import { escapeName } from "./escape.ts";
import { type CompiledRule, compileRules, occurrencesMax, type RuleEnvironments } from "./rule.ts";
import { otherSchema, type StructuralSchema } from "./structural.ts";

/** A schema and how it is reached from the root. */
export interface SchemaPlace {
  readonly schema: StructuralSchema;
  readonly parent: SchemaPlace | undefined;
  readonly step: { readonly property: string } | "items" | "additionalProperties" | "root";
}

export interface CompiledNode {
  readonly rules: readonly CompiledRule[];
  /** How often a value of the node can occur in a request. */
  readonly occurrencesMax: bigint;
}

interface TypeInfo {
  readonly schema: StructuralSchema;
  readonly declared: Declared | undefined;
}

/** Compiles the rules of the nodes of one schema. */
export class RuleCompiler {
  readonly #environments: RuleEnvironments;
  readonly #declarations = new Declarations();
  readonly #info = new Map<SchemaPlace, TypeInfo | string>();

  constructor(environments: RuleEnvironments) {
    this.#environments = environments;
  }

  /** The compiled rules of a node; a string with the reason if its values have no type. */
  compile(place: SchemaPlace): CompiledNode | string {
    const info = this.#typeInfo(place), rules = place.schema["x-kubernetes-validations"] ?? [];
    if (typeof info === "string") return `internal error: failed to construct type information for x-kubernetes-validations rules: ${info}`;
    if (info.declared === undefined) return "failed to convert to declType for CEL validation rules";
    return { rules: compileRules(rules, info.schema, info.declared, this.#environments), occurrencesMax: occurrencesMax(info.declared) };
  }

  /** The type of a node: that of the parent leads to it, if it is within rules; else it is made of its schema. */
  #typeInfo(place: SchemaPlace): TypeInfo | string {
    let info = this.#info.get(place);
    if (info === undefined) this.#info.set(place, info = this.#makeTypeInfo(place));
    return info;
  }

  #makeTypeInfo({ schema, parent, step }: SchemaPlace): TypeInfo | string {
    if (parent !== undefined && isWithinRules(parent)) {
      const above = this.#typeInfo(parent);
      if (typeof above === "string") return above;
      const info = infoOfStep(above, step);
      if (info !== undefined) return info;
    }
    const declared = this.#declarations.of(schema, parent === undefined || schema["x-kubernetes-embedded-resource"] === true);
    return declared === undefined ? "unable to convert structural schema to CEL declarations" : { schema, declared };
  }
}

function isWithinRules(place: SchemaPlace): boolean {
  for (let at: SchemaPlace | undefined = place; at !== undefined; at = at.parent) {
    if ((at.schema["x-kubernetes-validations"] ?? []).length > 0) return true;
  }
  return false;
}

function infoOfStep({ schema, declared }: TypeInfo, step: SchemaPlace["step"]): TypeInfo | undefined {
  if (step === "root") return undefined;
  if (typeof step === "object") {
    const { properties = {} } = schema, identifier = escapeName(step.property);
    const property = Object.hasOwn(properties, step.property) ? properties[step.property] : undefined;
    const field = declared?.tag === "object" && identifier !== undefined ? declared.fields.get(identifier) : undefined;
    return property === undefined || field === undefined ? undefined : { schema: property, declared: field };
  }
  const inner = step === "items" ? schema.items : otherSchema(schema);
  const of = declared?.tag === "list" || declared?.tag === "map" ? declared.of : undefined;
  return inner === undefined || inner === null ? undefined : { schema: inner, declared: of };
}

/** Returns the number of values of a node that an object can have, by the bounds of the schemas above; undefined if one has none. */
export function cardinality({ parent }: SchemaPlace): bigint | undefined {
  let times = 1n;
  for (let at = parent; at !== undefined; at = at.parent) {
    const max = elementsMax(at.schema);
    if (max === undefined) return undefined;
    times = product(times, max);
  }
  return times;
}

function elementsMax({ type, additionalProperties, maxProperties, maxItems }: StructuralSchema): bigint | undefined {
  if (type === "object") return additionalProperties === undefined ? 1n : notNegative(maxProperties);
  return type === "array" ? notNegative(maxItems) : 1n;
}
function notNegative(bound: number | bigint | undefined): bigint | undefined {
  return bound === undefined ? undefined : bound < 0 ? 0n : BigInt(bound);
}

/** Returns a product of costs, saturated at 2^64-1. */
export function product(a: bigint, b: bigint): bigint {
  return a * b > rangeMax ? rangeMax : a * b;
}
