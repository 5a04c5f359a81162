/**
 * Expressions of jq, as far as stages use them: paths, `.[]`, literals, `select`, `has`, `length`, `not`, `empty`, comparisons, `and`, `or`, `//`, `,` and
 * pipes. An expression comes from the network: its length, its depth and its steps are bounded.
 */
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";
import { goJson } from "../../../core/tree/json-text.ts";
import { sameValue } from "../../../core/derive/same-value.ts";
import { type Jq, JqParser } from "./jq-parser.ts";
import { textWeight, weightOf } from "./weight.ts";

export type { Jq };

/** Steps of one evaluation of an expression of jq. A function that reads a whole value takes one for each value in it. */
const jqStepsMax = bound(10_000);

/** An expression that cannot be parsed, or an evaluation that fails. */
export class JqError extends Error {}

/** Parses an expression. Throws a JqError. */
export function parseJq(text: string): Jq {
  return new JqParser(text, (message) => new JqError(message)).parse();
}

/** Returns the values of an expression for an input, without nulls. Undefined if the evaluation fails. */
export function valuesOf(jq: Jq, input: Json): readonly Json[] | undefined {
  const budget = { steps: jqStepsMax };
  try {
    return [...run(jq, input, budget)].filter((value) => value !== null);
  } catch (error) {
    if (error instanceof JqError) return undefined;
    throw error;
  }
}

interface Budget {
  steps: number;
}
function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new JqError("too many steps");
}
const isTrue = (value: Json): boolean => value !== null && value !== false;

function* run(jq: Jq, input: Json, budget: Budget): Generator<Json> {
  spend(budget, 1);
  switch (jq.tag) {
    case "self":
      return yield input;
    case "value":
      return yield jq.value;
    case "field":
      for (const of of run(jq.of, input, budget)) for (const key of run(jq.key, input, budget)) yield member(of, key);
      return;
    case "each":
      for (const of of run(jq.of, input, budget)) {
        if (of === null || typeof of !== "object") throw new JqError("cannot iterate over it");
        const values = Object.values(of);
        spend(budget, values.length);
        for (const value of values) yield value as Json;
      }
      return;
    case "optional":
      try {
        yield* run(jq.of, input, budget);
      } catch (error) {
        if (!(error instanceof JqError) || budget.steps < 0) throw error;
      }
      return;
    case "pipe":
      for (const value of run(jq.left, input, budget)) yield* run(jq.right, value, budget);
      return;
    case "comma":
      yield* run(jq.left, input, budget);
      return yield* run(jq.right, input, budget);
    case "alternative": {
      const found = [...run({ tag: "optional", of: jq.left }, input, budget)].filter(isTrue);
      return found.length > 0 ? yield* found : yield* run(jq.right, input, budget);
    }
    case "and":
    case "or":
      for (const left of run(jq.left, input, budget)) {
        if (isTrue(left) === (jq.tag === "or")) yield jq.tag === "or";
        else for (const right of run(jq.right, input, budget)) yield isTrue(right);
      }
      return;
    case "compare":
      for (const right of run(jq.right, input, budget)) {
        for (const left of run(jq.left, input, budget)) {
          spend(budget, weightOf(left, budget.steps) + weightOf(right, budget.steps));
          yield compared(jq.operator, left, right);
        }
      }
      return;
    case "call":
      yield* called(jq.name, jq.args, input, budget);
  }
}

function member(of: Json, key: Json): Json {
  if (of === null) return null;
  if (Array.isArray(of) && typeof key === "number") return of[key < 0 ? of.length + key : key] ?? null;
  if (typeof of === "object" && !Array.isArray(of) && typeof key === "string") {
    return Object.hasOwn(of, key) ? (of as Readonly<Record<string, Json>>)[key] ?? null : null;
  }
  throw new JqError("cannot index it");
}

function compared(operator: string, left: Json, right: Json): boolean {
  if (operator === "==" || operator === "!=") return sameValue(left, right) === (operator === "==");
  if (typeof left !== typeof right || (typeof left !== "number" && typeof left !== "string")) throw new JqError("cannot compare them");
  const [a, b] = [left as number, right as number]; // both numbers, or both texts
  return operator === "<" ? a < b : operator === "<=" ? a <= b : operator === ">" ? a > b : a >= b;
}

function* called(name: string, args: readonly Jq[], input: Json, budget: Budget): Generator<Json> {
  const [first] = args;
  switch (name) {
    case "empty":
      return;
    case "not":
      return yield !isTrue(input);
    case "length":
      if (typeof input === "number" || typeof input === "boolean") throw new JqError("it has no length");
      return yield input === null ? 0 : lengthOf(input, budget);
    case "tostring":
      spend(budget, weightOf(input, budget.steps));
      return yield typeof input === "string" ? input : goJson(input);
    case "select":
      for (const chosen of run(first!, input, budget)) if (isTrue(chosen)) yield input;
      return;
    case "has":
      for (const key of run(first!, input, budget)) {
        if (input === null || typeof input !== "object") throw new JqError("it has no keys");
        const isKey = Array.isArray(input) ? typeof key === "number" : typeof key === "string";
        if (!isKey) throw new JqError("it has no such keys");
        yield Object.hasOwn(input, key as string | number); // as was checked
      }
      return;
    default:
      for (const value of run({ tag: "each", of: { tag: "self" } }, input, budget)) {
        if ([...run(first!, value, budget)].some(isTrue) === (name === "any")) return yield name === "any";
      }
      yield name !== "any";
  }
}

/** The number of characters of a text, or of members of a list or an object. */
function lengthOf(value: Exclude<Json, null>, budget: Budget): number {
  if (typeof value === "string") {
    spend(budget, textWeight(value));
    return [...value].length;
  }
  const { length } = Array.isArray(value) ? value : Object.keys(value);
  spend(budget, Array.isArray(value) ? 0 : length);
  return length;
}
