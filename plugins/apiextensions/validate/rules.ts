/** Validates the rules in CEL of a structural schema. It reports the errors of their compilation, and estimated costs above the bounds. */
import { type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import type { SchemaProps } from "../schema-props.ts";
import type { RuleChecker, RulePlace } from "./openapi.ts";
import { shownRule } from "./shown.ts";

/** The result of compiling one rule. Costs are estimates of one evaluation. */
export interface CompiledRule {
  readonly error?: { readonly type: "Required" | "Invalid"; readonly detail: string };
  readonly cost: number;
  /**
   * Maximum number of times that the value occurs in an object. Without bounds in the schema, it follows from the maximum size of a
   * request.
   */
  readonly cardinality: number;
  readonly usesOldSelf: boolean;
  readonly messageExpressionError?: string;
  /** The cost of the message expression; absent if there is no valid one. */
  readonly messageExpressionCost?: number;
}
/** The expressions of the stored definition. They may use what a later version of the server offers. */
export interface StoredExpressions {
  readonly storedRules: ReadonlySet<string>;
  readonly storedMessageExpressions: ReadonlySet<string>;
}
/** Compiles the rules of a schema. The result is a text if there is an internal error: the schema has no type in CEL. */
export type CompileRules = (place: RulePlace, stored: StoredExpressions) => readonly CompiledRule[] | string;

/** The largest estimated costs of one expression, and of all expressions of a definition. */
export const expressionCostMax = 10_000_000;
export const definitionCostMax = 100_000_000;
/** Rules that cost less than a hundredth of the bound are not named in the error. */
const namedCostMin = definitionCostMax / 100;
const namedMax = 4;
/** Costs above this are cut to it: in upstream they are unsigned integers of 64 bits. */
const costLimit = 2 ** 64;

export interface RuleOptions extends StoredExpressions {
  readonly compile: CompileRules;
  /** Whether an expression may exceed the bound of one expression, because its schema has not changed. */
  readonly allowsCostlyExpressions: boolean;
}

/** Checks the rules of each schema in order, and adds up their cost. */
export class SchemaRules implements RuleChecker {
  readonly #options: RuleOptions;
  readonly #cardinalities = new Map<RulePlace, number | undefined>();
  #total = 0;
  readonly #warnings: string[] = [];
  #costly: { readonly path: string; readonly cost: number }[] = [];

  constructor(options: RuleOptions) {
    this.#options = options;
  }

  check(schema: SchemaProps, path: string, place: RulePlace, uncorrelated: string | undefined): readonly FieldError[] {
    const rules = schema["x-kubernetes-validations"] ?? [], at = `${path}.x-kubernetes-validations`;
    const compiled = this.#options.compile(place, this.#options);
    if (typeof compiled === "string") return [{ type: "Internal", path: at, detail: compiled }];
    const bound = this.#cardinality(place);
    return compiled.flatMap((result, i) => this.#checkRule(rules[i]!, result, `${at}[${i}]`, bound, uncorrelated));
  }

  #checkRule(
    rule: NonNullable<SchemaProps["x-kubernetes-validations"]>[number],
    result: CompiledRule,
    path: string,
    bound: number | undefined,
    uncorrelated: string | undefined,
  ): readonly FieldError[] {
    const errors: FieldError[] = [];
    const observe = (key: "rule" | "messageExpression", cost: number, name: string) => {
      if (!this.#options.allowsCostlyExpressions && cost > expressionCostMax) {
        errors.push(forbidden(`${path}.${key}`, tooCostly(name, cost, expressionCostMax)));
      }
      if (cost > expressionCostMax / 2 && cost <= expressionCostMax) {
        const share = Math.floor(cost / expressionCostMax * 100);
        this.#warnings.push(`${path}.${key}: ${name} ${cost} is ${share}% of the budget`);
      }
      this.#observe(`${path}.${key}`, cost);
    };
    observe("rule", times(result.cost, bound ?? result.cardinality), "estimated rule cost");
    const { error, messageExpressionError, messageExpressionCost, usesOldSelf } = result;
    if (error !== undefined) {
      const { type, detail } = error;
      errors.push(type === "Required" ? required(`${path}.rule`, detail) : invalid(`${path}.rule`, shownRule(rule), detail));
    }
    if (messageExpressionError !== undefined) {
      errors.push(invalid(`${path}.messageExpression`, shownRule(rule), messageExpressionError));
    } else if (messageExpressionCost !== undefined) {
      observe("messageExpression", messageExpressionCost, "estimated messageExpression cost");
    }
    if (usesOldSelf && uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      errors.push(invalid(`${path}.rule`, rule.rule, detail));
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"));
    }
    return errors;
  }

  #observe(path: string, cost: number): void {
    this.#total = Math.min(this.#total + cost, costLimit);
    if (cost < namedCostMin) return;
    this.#costly.push({ path, cost });
    this.#costly.sort((a, b) => b.cost - a.cost);
    this.#costly.length = Math.min(this.#costly.length, namedMax);
  }

  /** Returns the expressions that use more than half of their budget. A longer list or text may exceed it. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Returns the errors of the total cost of all rules. `path` is that of the root schema. */
  totalCostErrors(path: string): readonly FieldError[] {
    if (this.#total <= definitionCostMax) return [];
    const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#costly.map((each) =>
        forbidden(each.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema")
      ),
      forbidden(path, tooCostly(name, this.#total, definitionCostMax)),
    ];
  }

  /** Returns the maximum number of values of the schema, by the bounds of the schemas above it; undefined if these have no bounds. */
  #cardinality(place: RulePlace): number | undefined {
    const { parent } = place;
    if (parent === undefined) return 1;
    if (this.#cardinalities.has(place)) return this.#cardinalities.get(place);
    const above = this.#cardinality(parent), own = above === undefined ? undefined : elementsMax(parent.schema);
    const found = above === undefined || own === undefined ? undefined : times(above, own);
    this.#cardinalities.set(place, found);
    return found;
  }
}

/** Returns the factor by which a schema multiplies the values inside it; undefined if it has no bound. */
function elementsMax({ type, additionalProperties, maxProperties, maxItems }: SchemaProps): number | undefined {
  const bound = type === "array" ? maxItems : type === "object" && additionalProperties !== undefined ? maxProperties : 1;
  return bound === undefined ? undefined : Math.max(0, Number(bound));
}
function times(cost: number, cardinality: number): number {
  return Math.min(cost * cardinality, costLimit);
}

function tooCostly(name: string, cost: number, limit: number): string {
  const exceeds = cost / limit;
  const factor = exceeds > 100 ? "more than 100x" : exceeds < 1.5 ? `${exceeds.toFixed(6)}x` : `${exceeds.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where ` +
    "arrays, maps, and strings are declared)";
}
