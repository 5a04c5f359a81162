/** Evaluates JSON paths over plain JSON. The work of one evaluation is bounded. */
import { spendSteps } from "../budget.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { type Constant, type JsonPath, JsonPathError, type Step, type Steps } from "./parse.ts";
import { bound } from "../bound.ts";

/** Values that one evaluation of a JSON path visits. A path that needs more finds nothing. */
const jsonPathStepsMax = bound(100_000);

/** The work of a path has reached its bound, or that of the budget in force. */
export class PathWorkError extends JsonPathError {}

/** Returns the values that each action of a path finds. An error for a path that does not fit the value, or that needs too much work. */
export function findJsonPath(path: JsonPath, value: Json): readonly (readonly Json[])[] | JsonPathError {
  const run = new Run();
  try {
    return path.map((steps) => run.all([value], steps));
  } catch (error) {
    if (error instanceof JsonPathError) return error;
    throw error;
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
const fail = (text: string): never => {
  throw new JsonPathError(text);
};

class Run {
  #steps = 0;

  all(values: readonly Json[], steps: Steps): readonly Json[] {
    let current = values;
    for (const step of steps) current = this.#step(current, step);
    return current;
  }

  #spend(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > jsonPathStepsMax) throw new PathWorkError("the path visits too many values");
    spendSteps(steps);
  }

  #step(values: readonly Json[], step: Step): readonly Json[] {
    switch (step.tag) {
      case "field":
        return this.#each(values, (value) => isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]!] : []);
      case "wildcard":
        return this.#each(values, (value) => this.#inner(value));
      case "recursive":
        return this.#recursive(values);
      case "slice":
        return this.#each(values, (value) => value === null ? [] : isList(value) ? sliced(value, step) : fail("not an array or slice"));
      case "filter":
        return this.#filter(values, step);
      case "union":
        return step.of.flatMap((inner) => this.all(values, inner));
      case "constant":
        return step.value.kind === "string" ? [step.value.value] : values.map(() => step.value.value);
      case "word":
        return fail(`unrecognized identifier ${step.name}`);
    }
  }

  #each(values: readonly Json[], find: (value: Json) => readonly Json[]): readonly Json[] {
    const found: Json[] = [];
    for (const value of values) {
      this.#spend();
      for (const each of find(value)) {
        this.#spend();
        found.push(each);
      }
    }
    return found;
  }

  /** Members, items, or the bytes of a text. */
  #inner(value: Json): readonly Json[] {
    if (typeof value === "string") {
      this.#spend(value.length);
      return [...new TextEncoder().encode(value)];
    }
    if (isList(value)) return value;
    if (!isObject(value)) return [];
    this.#spend(Object.keys(value).length);
    return membersOf(value);
  }

  /** Every list, object and text that is not empty. A container precedes its contents. */
  #recursive(values: readonly Json[]): readonly Json[] {
    const found: Json[] = [];
    const waiting = values.toReversed();
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      this.#spend();
      const inner = typeof value === "string" ? [] : this.#inner(value);
      if (inner.length > 0 || (typeof value === "string" && value !== "")) found.push(value);
      for (let i = inner.length - 1; i >= 0; i--) waiting.push(inner[i]!);
    }
    return found;
  }

  #filter(values: readonly Json[], { left, operator, right }: Step & { tag: "filter" }): readonly Json[] {
    const found: Json[] = [];
    for (const value of values) {
      if (!isList(value)) return fail("not an array or slice and cannot be filtered");
      for (const item of value) {
        this.#spend();
        if (operator === "exists" ? this.#exists(item, left) : this.#compares(item, { left, operator, right })) found.push(item);
      }
    }
    return found;
  }
  /** Errors count as absent. */
  #exists(item: Json, steps: Steps): boolean {
    try {
      return this.all([item], steps).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError && !(error instanceof PathWorkError)) return false;
      throw error;
    }
  }
  #compares(item: Json, { left, operator, right }: { readonly left: Steps; readonly operator: string; readonly right: Steps }): boolean {
    const a = this.#operand(item, left), b = a === undefined ? undefined : this.#operand(item, right);
    if (a === undefined || b === undefined) return false;
    return compare(a, operator, b);
  }
  #operand(item: Json, steps: Steps): Constant | undefined {
    const found = this.all([item], steps);
    if (found.length > 1) fail("can only compare one element at a time");
    if (found.length === 0) return undefined;
    const last = steps.at(-1);
    return last?.tag === "constant" ? last.value : kindOf(found[0]!);
  }
}

function membersOf(object: JsonObject): readonly Json[] {
  return sortedKeys(object).map((key) => object[key]!);
}

function sliced(list: readonly Json[], { start: first, end: last, isDerived, step = 1 }: Step & { tag: "slice" }): readonly Json[] {
  const { length } = list;
  let start = first ?? 0, end = last ?? length;
  if (start < 0) start += length;
  if (end < 0 || (end === 0 && isDerived)) end += length;
  if (start === end) return [];
  if (start >= length || start < 0) return fail(`array index out of bounds: index ${start}, length ${length}`);
  if (end > length || end < 0) return fail(`array index out of bounds: index ${end - 1}, length ${length}`);
  if (start > end) return fail(`starting index ${start} is greater than ending index ${end}`);
  if (step <= 0) return fail("step must be > 0");
  const found: Json[] = [];
  for (let i = start; i < end; i += step) found.push(list[i]!);
  return found;
}

function kindOf(value: Json): Constant {
  if (typeof value === "string") return { kind: "string", value };
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "bigint") return { kind: "int", value };
  if (typeof value === "number") return { kind: Number.isInteger(value) ? "int" : "float", value };
  return fail("invalid type for comparison");
}

function compare(a: Constant, operator: string, b: Constant): boolean {
  if (a.kind !== b.kind) return fail("incompatible types for comparison");
  const ordered = (): void => {
    if (a.kind === "bool") fail("invalid type for comparison");
  };
  // deno-lint-ignore eqeqeq -- integers are numbers or bigints
  const equal = a.value == b.value;
  switch (operator) {
    case "==":
      return equal;
    case "!=":
      return !equal;
    case "<":
      ordered();
      return a.value < b.value;
    case "<=":
      ordered();
      return a.value < b.value || equal;
    case ">":
      ordered();
      return !(a.value < b.value || equal);
    case ">=":
      ordered();
      return !(a.value < b.value);
  }
  return fail(`unrecognized filter operator ${operator}`);
}
