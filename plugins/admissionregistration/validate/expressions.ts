/** Checks that expressions in policies and webhooks compile in the environment of their place. */
import { duplicate, type FieldError, invalid, required } from "../../../plugin.ts";
import { append, qualifiedName, type Release, tooMany } from "../../../toolbox.ts";
import { PolicyCompiler, type PolicyOptions } from "../../../cel/policy/policy.ts";
import { boolType, listType, nullType, objectType, stringType, type Type } from "../../../cel/types.ts";
import { newExpressions, storedExpressions } from "../../../cel/schema/environments.ts";
import type { MatchCondition, Variable } from "../schema.ts";

/** The types that the result of an expression may have, by the place of the expression. Undefined means any type. */
export const results = Object.freeze({
  condition: [boolType],
  message: [stringType],
  annotation: [stringType, nullType],
  applyConfiguration: [objectType("Object")],
  jsonPatch: [listType(objectType("JSONPatch"))],
  variable: undefined,
});

/** The expressions that are already stored. They may use the libraries of all versions. */
export interface StoredExpressions {
  readonly conditions: ReadonlySet<string>;
  readonly validations: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
  readonly mutations: ReadonlySet<string>;
}
const nothing: ReadonlySet<string> = new Set();
export const nothingStored: StoredExpressions = Object.freeze({
  conditions: nothing,
  validations: nothing,
  messages: nothing,
  annotations: nothing,
  mutations: nothing,
});

/** Checks the expressions of one policy. New ones may use the libraries of the oldest compatible release, stored ones all libraries. */
export class ExpressionChecker {
  readonly #minCompatibility: Release;
  readonly #compilers = new Map<string, PolicyCompiler>();
  readonly #declared: Variable[] = [];

  constructor(minCompatibility: Release) {
    this.#minCompatibility = minCompatibility;
  }

  /** Declares a variable and returns its errors. Later expressions may use it. */
  declare(variable: Variable, options: PolicyOptions, isStored: boolean, path: string): readonly FieldError[] {
    const { name, expression } = variable;
    const { error } = this.#compiler(options, isStored).declare(name, expression);
    // The other compilers declare the variable when they are made, or now if they exist.
    this.#declared.push(variable);
    for (const [key, compiler] of this.#compilers) if (key !== keyOf(options, isStored)) compiler.declare(name, expression);
    return error === undefined ? [] : [mistake(error, expression, path)];
  }

  /** Returns the errors of an expression. `shown` is the text that the error shows. */
  check(
    expression: string,
    { options, types, isStored, path, shown = expression }: {
      readonly options: PolicyOptions;
      readonly types: readonly Type[] | undefined;
      readonly isStored: boolean;
      readonly path: string;
      readonly shown?: string;
    },
  ): readonly FieldError[] {
    const { error } = this.#compiler(options, isStored).compile(expression, types);
    return error === undefined ? [] : [mistake(error, shown, path)];
  }

  #compiler(options: PolicyOptions, isStored: boolean): PolicyCompiler {
    const key = keyOf(options, isStored);
    let compiler = this.#compilers.get(key);
    if (compiler === undefined) {
      compiler = new PolicyCompiler(isStored ? storedExpressions() : newExpressions(this.#minCompatibility), options);
      for (const { name, expression } of this.#declared) compiler.declare(name, expression);
      this.#compilers.set(key, compiler);
    }
    return compiler;
  }
}

function keyOf({ hasParams, hasAuthorizer, hasPatchTypes, hasVariables }: PolicyOptions, isStored: boolean): string {
  return [hasParams, hasAuthorizer, hasPatchTypes, hasVariables, isStored].join(" ");
}

const internalMark = "program instantiation failed: ";

function mistake(error: string, expression: string, path: string): FieldError {
  return error.startsWith(internalMark) ? { type: "Internal", path, detail: error } : invalid(path, expression, error);
}

/** The maximum number of match conditions. */
const conditionsMax = 64;

/** Returns the errors of match conditions, which cannot use the variables of a policy. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  { hasParams, stored, minCompatibility, path }: {
    readonly hasParams: boolean;
    readonly stored: StoredExpressions;
    readonly minCompatibility: Release;
    readonly path: string;
  },
): readonly FieldError[] {
  const errors: FieldError[] = [], names = new Set<string>(), checker = new ExpressionChecker(minCompatibility);
  const options = { hasParams, hasAuthorizer: true, hasPatchTypes: false, hasVariables: false };
  if (conditions !== undefined && conditions.length > conditionsMax) errors.push(tooMany(path, conditions.length, conditionsMax));
  for (const [i, { name, expression }] of (conditions ?? []).entries()) {
    const at = `${path}[${i}]`, text = goTrim(expression);
    if (text === "") errors.push(required(`${at}.expression`, ""));
    else {
      const isStored = stored.conditions.has(text);
      append(errors, checker.check(text, { options, types: results.condition, isStored, path: `${at}.expression` }));
    }
    if (name === "") {
      errors.push(required(`${at}.name`, ""));
      continue;
    }
    for (const wrong of qualifiedName(name)) errors.push(invalid(`${at}.name`, name, wrong));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  }
  return errors;
}

/** Returns the text without white space around it, as Go's TrimSpace does. */
export function goTrim(text: string): string {
  // JavaScript's `trim` differs: it also removes U+FEFF, and does not remove U+0085.
  let begin = 0, end = text.length;
  while (begin < end && isGoSpace(text.charCodeAt(begin))) begin++;
  while (end > begin && isGoSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(begin, end);
}
function isGoSpace(code: number): boolean {
  return code === 0x20 || code >= 0x09 && code <= 0x0d || code === 0x85 || code === 0xa0 || code === 0x1680 ||
    code >= 0x2000 && code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000;
}
