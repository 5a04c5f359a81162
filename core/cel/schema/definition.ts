/**
 * The rules of the schema of a definition: the mistakes in them, and what they may cost at most. Each rule has a limit for all of its
 * evaluations in one object, and all rules of a schema together have one.
 */
import { type FieldError, forbidden, invalid } from "../../field-error.ts";
import { limits } from "../../limits.ts";
import type { Json } from "../../json.ts";
import type { ValidationRule } from "../../structural-schema.ts";
import { rangeMax } from "../cost/range.ts";
import { type Declared, Declarations } from "./declared.ts";
import { escapeName } from "./escape.ts";
import { type CompiledRule, compileRules, occurrencesMax, type RuleEnvironments } from "./rule.ts";
import { otherSchema, type StructuralSchema } from "./structural.ts";

/** A schema and how it is reached from the root: for its type in expressions, and for the number of its values. */
export interface SchemaPlace {
  readonly schema: StructuralSchema;
  readonly parent: SchemaPlace | undefined;
  readonly step: { readonly property: string } | "items" | "additionalProperties" | "root";
}

export interface DefinitionOptions {
  readonly environments: RuleEnvironments;
  /** A rule as the value of its errors. */
  readonly shownRule: (rule: ValidationRule) => Json;
  /** Rules that have not changed may cost more than one rule may. */
  readonly allowsCostlyRules: boolean;
}

/** What is known about a rule. */
export interface RuleReport {
  /** Path of the node of the schema. */
  readonly at: string;
  readonly index: number;
  readonly compiled: CompiledRule;
  /** How often it may be evaluated in one object. */
  readonly timesMax: bigint;
  readonly totalCost: bigint;
}

interface TypeInfo {
  readonly schema: StructuralSchema;
  readonly declared: Declared | undefined;
}

interface Cost {
  readonly path: string;
  readonly cost: bigint;
}

const ruleMax = BigInt(limits.celRuleCostMax);
const definitionMax = BigInt(limits.celDefinitionCostMax);

/** Compiles the rules of one schema, and adds up their costs. */
export class DefinitionRules {
  readonly #options: DefinitionOptions;
  readonly #declarations = new Declarations();
  readonly #info = new Map<SchemaPlace, TypeInfo | string>();
  readonly #reports: RuleReport[] = [];
  #total = 0n;
  #costly: Cost[] = [];

  constructor(options: DefinitionOptions) {
    this.#options = options;
  }

  get reports(): readonly RuleReport[] {
    return this.#reports;
  }
  /** The estimated cost of all rules together. */
  get totalCost(): bigint {
    return this.#total;
  }

  /** The errors of the rules of a node. `uncorrelated`: path of the schema above within which values have no old value. */
  check(place: SchemaPlace, path: string, uncorrelated: string | undefined): readonly FieldError[] {
    const rules = place.schema["x-kubernetes-validations"] ?? [], at = `${path}.x-kubernetes-validations`;
    const info = this.#typeInfo(place);
    if (typeof info === "string") {
      return [internal(at, `internal error: failed to construct type information for x-kubernetes-validations rules: ${info}`)];
    }
    if (info.declared === undefined) return [internal(at, "failed to convert to declType for CEL validation rules")];
    const times = cardinality(place) ?? occurrencesMax(info.declared);
    const compiled = compileRules(rules, info.schema, info.declared, this.#options.environments);
    return compiled.flatMap((rule, index) => {
      this.#reports.push({ at: path, index, compiled: rule, timesMax: times, totalCost: product(rule.costMax, times) });
      return this.#ruleErrors(rule, `${at}[${index}]`, product(rule.costMax, times), uncorrelated);
    });
  }

  #ruleErrors(compiled: CompiledRule, at: string, cost: bigint, uncorrelated: string | undefined): readonly FieldError[] {
    const { rule } = compiled, shown = this.#options.shownRule(rule);
    const errors: FieldError[] = [...this.#costErrors(`${at}.rule`, "estimated rule cost", cost)];
    if (compiled.error !== undefined) errors.push(invalid(`${at}.rule`, shown, compiled.error));
    if (compiled.messageError !== undefined) errors.push(invalid(`${at}.messageExpression`, shown, compiled.messageError));
    else if (compiled.message !== undefined) {
      errors.push(...this.#costErrors(`${at}.messageExpression`, "estimated messageExpression cost", compiled.messageCostMax));
    }
    if (!compiled.usesOldSelf) {
      if (rule.optionalOldSelf !== undefined) {
        errors.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
      }
    } else if (uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      errors.push(invalid(`${at}.rule`, rule.rule, detail));
    }
    return errors;
  }

  #costErrors(path: string, name: string, cost: bigint): readonly FieldError[] {
    this.#total = this.#total + cost > rangeMax ? rangeMax : this.#total + cost;
    // Only the four most expensive expressions are named, from a hundredth of the limit on.
    if (cost >= definitionMax / 100n) {
      this.#costly = [...this.#costly, { path, cost }].sort((a, b) => a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0).slice(0, 4);
    }
    return cost <= ruleMax || this.#options.allowsCostlyRules ? [] : [forbidden(path, costText(name, cost, ruleMax))];
  }

  /** The errors of all rules together. `path`: of the root. */
  totalErrors(path: string): readonly FieldError[] {
    if (this.#total <= definitionMax) return [];
    const share = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [...this.#costly.map((costly) => forbidden(costly.path, share)), forbidden(path, costText(name, this.#total, definitionMax))];
  }

  /** What is allowed but close to a limit: expressions that use more than half of their budget. */
  warnings(): readonly string[] {
    return this.#reports.flatMap(({ at, index, compiled, totalCost }) => {
      const path = `${at}.x-kubernetes-validations[${index}]`;
      return [...warning(`${path}.rule`, totalCost), ...warning(`${path}.messageExpression`, compiled.messageCostMax)];
    });
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

/** How many values of a node an object can have, by the bounds of the schemas above; undefined if one has none. */
function cardinality({ parent }: SchemaPlace): bigint | undefined {
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

function product(a: bigint, b: bigint): bigint {
  return a * b > rangeMax ? rangeMax : a * b;
}

function factorText(cost: bigint, max: bigint): string {
  const factor = Number(cost) / Number(max);
  if (factor > 100) return "more than 100x";
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
}

function costText(name: string, cost: bigint, max: bigint): string {
  return `${name} exceeds budget by factor of ${factorText(cost, max)} (try simplifying the rule, or adding maxItems, ` +
    "maxProperties, and maxLength where arrays, maps, and strings are declared)";
}

function warning(path: string, cost: bigint): readonly string[] {
  if (cost * 2n <= ruleMax || cost > ruleMax) return [];
  return [`${path}: estimated cost ${cost} is ${cost * 100n / ruleMax}% of the limit for one expression`];
}

function internal(path: string, detail: string): FieldError {
  return { type: "Internal", path, detail };
}
