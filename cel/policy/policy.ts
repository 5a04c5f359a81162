/** Expressions of admission policies: their variables, and the composition of named expressions (`variables.name`). */
import type { JsonObject } from "../../core/json.ts";
import { analyse, compileChecked, type Program, type Variables } from "../compile.ts";
import { sameType } from "../check/substitutions.ts";
import { fullTypeName } from "./type-name.ts";
import type { Environment, Variable } from "../declarations.ts";
import { extend } from "../environment.ts";
import { authorizerType, type AuthorizerValue, type ResourceCheck, resourceCheckType } from "../functions/authorizer/authorizer.ts";
import { jsonPatchLibrary } from "../functions/json-patch.ts";
import { formatIssues } from "../issues.ts";
import { constructMutation, mutationTypes } from "../mutation/types.ts";
import { dynType, type Type } from "../types.ts";
import { valueOfJson } from "../value/json.ts";
import { CelError, ObjectValue, type Value } from "../values.ts";
import { namespaceType, PolicyTypes, requestType, variablesType } from "./types.ts";
import { celObjectCostMax } from "../bounds.ts";

/** Which variables and types expressions have beside the common ones. */
export interface PolicyOptions {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** The types of mutations. */
  readonly hasPatchTypes: boolean;
  /** Whether expressions have `variables`. Match conditions, and validating policies that declare none, have not. Default true. */
  readonly hasVariables?: boolean;
}

/** A compiled expression; `error` if it does not compile. */
export type PolicyExpression =
  | { readonly program: Program; readonly type: Type; readonly error?: undefined }
  | { readonly error: string; readonly program?: undefined };

/** The values of the variables of a request. Members may be getters: each is read once in an activation, if an expression needs it. */
export interface PolicyInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly params?: JsonObject | null;
  readonly request: JsonObject | null;
  readonly namespaceObject: JsonObject | null;
  readonly authorizer?: AuthorizerValue;
  readonly requestResource?: ResourceCheck;
}

/** The result of an expression. */
export interface PolicyResult {
  readonly value: Value;
  /** Units of the expression and of the variables that it evaluated first. */
  readonly cost: number;
  /** True if the budget is spent, so that no further expression may be evaluated. */
  readonly isExhausted: boolean;
}

/** Compiles the expressions of one policy. */
export class PolicyCompiler {
  readonly #types: PolicyTypes;
  readonly #environment: Environment;
  readonly #variables = new Map<string, PolicyExpression>();

  constructor(base: Environment, options: PolicyOptions) {
    this.#types = new PolicyTypes(options.hasPatchTypes ? mutationTypes : undefined);
    this.#environment = extend(base, {
      variables: variablesOf(options),
      types: this.#types,
      ...(options.hasPatchTypes ? { libraries: [jsonPatchLibrary] } : {}),
      construct: (type, fields) =>
        options.hasPatchTypes && mutationTypes.hasType(type) ? constructMutation(type, fields) : new CelError(`unknown type '${type}'`),
    });
  }

  /** Declares a variable of the policy. Later ones may use it. */
  declare(name: string, expression: string): PolicyExpression {
    const compiled = this.compile(expression, undefined);
    this.define(name, compiled);
    return compiled;
  }

  /** Declares a variable that another compiler has compiled. */
  define(name: string, compiled: PolicyExpression): void {
    this.#types.declare(name, compiled.error === undefined ? compiled.type : undefined);
    this.#variables.set(name, compiled);
  }

  /** Compiles an expression. `results`: the types that it may have; undefined for any. */
  compile(expression: string, results: readonly Type[] | undefined): PolicyExpression {
    const analysed = analyse(expression, this.#environment);
    if (!analysed.ok) return { error: `compilation failed: ${formatIssues(expression, analysed.issues)}` };
    const type = analysed.checked.outputType;
    if (results !== undefined && !results.some((each) => sameType(each, type))) return { error: resultMistake(results, type) };
    const compiled = compileChecked(analysed.checked, this.#environment);
    if (compiled.tag === "program") return { program: compiled.program, type };
    const text = compiled.tag === "failed" ? compiled.message : formatIssues(expression, compiled.issues);
    return { error: `program instantiation failed: ${text}` };
  }

  /** The variables of a request, for all expressions of the policy. `hidden`: a variable that is null here. */
  activate(input: PolicyInput, hidden?: "namespaceObject"): PolicyActivation {
    return new PolicyActivation(input, this.#variables, hidden);
  }
}

function variablesOf({ hasParams, hasAuthorizer, hasVariables = true }: PolicyOptions): readonly Variable[] {
  const optional: Variable[] = [];
  if (hasParams) optional.push({ name: "params", type: dynType });
  if (hasAuthorizer) {
    optional.push({ name: "authorizer", type: authorizerType }, { name: "authorizer.requestResource", type: resourceCheckType });
  }
  return [
    { name: "object", type: dynType },
    { name: "oldObject", type: dynType },
    { name: "namespaceObject", type: namespaceType },
    { name: "request", type: requestType },
    ...hasVariables ? [{ name: "variables", type: variablesType }] : [],
    ...optional,
  ];
}

function resultMistake(results: readonly Type[], type: Type): string {
  const [first] = results;
  if (results.length === 1 && first !== undefined) return `must evaluate to ${fullTypeName(first)} but got ${fullTypeName(type)}`;
  return `must evaluate to one of [${results.map(fullTypeName).join(" ")}] but got ${fullTypeName(type)}`;
}

/**
 * The variables of one request. Each variable of the policy is evaluated once, and each member of the input is read once, when an expression
 * needs it.
 */
export class PolicyActivation {
  readonly #input: PolicyInput;
  readonly #known = new Map<string, Value>();
  readonly #variables: PolicyVariables;
  readonly #find = (name: string): Value | undefined => {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const value = this.#read(name);
    if (value !== undefined) this.#known.set(name, value);
    return value;
  };

  constructor(input: PolicyInput, expressions: ReadonlyMap<string, PolicyExpression>, hidden: string | undefined) {
    this.#input = input;
    if (hidden !== undefined) this.#known.set(hidden, null);
    this.#variables = new PolicyVariables(expressions, this.#find);
  }

  #read(name: string): Value | undefined {
    switch (name) {
      case "object":
      case "oldObject":
      case "request":
      case "namespaceObject":
        return valueOfJson(this.#input[name]);
      case "params":
        return valueOfJson(this.#input.params ?? null);
      case "authorizer":
        return this.#input.authorizer;
      case "authorizer.requestResource":
        return this.#input.requestResource;
      case "variables":
        return this.#variables;
      default:
        return undefined;
    }
  }

  /** Evaluates an expression. `budget`: units that are left for the policy. */
  evaluate(program: Program, budget: number = celObjectCostMax): PolicyResult {
    this.#variables.cost = 0;
    const { value, cost } = program.evaluate(this.#find);
    const total = cost + this.#variables.cost;
    return { value, cost: total, isExhausted: total > budget };
  }
}

/** The variable `variables`. */
class PolicyVariables extends ObjectValue {
  readonly type = variablesType.name;
  /** Units of the variables that the expression evaluated. */
  cost = 0;
  readonly #expressions: ReadonlyMap<string, PolicyExpression>;
  readonly #find: Variables;
  readonly #known = new Map<string, Value>();
  constructor(expressions: ReadonlyMap<string, PolicyExpression>, find: Variables) {
    super();
    this.#expressions = expressions;
    this.#find = find;
  }

  /** A variable is evaluated also when its presence is tested. */
  has(name: string): boolean {
    if (!this.#expressions.has(name)) return false;
    this.get(name);
    return true;
  }

  get(name: string): Value {
    const known = this.#known.get(name), expression = this.#expressions.get(name);
    if (known !== undefined) return known;
    if (expression === undefined) return new CelError(`no such key: ${name}`);
    const value = this.#evaluate(name, expression);
    this.#known.set(name, value);
    return value;
  }

  #evaluate(name: string, expression: PolicyExpression): Value {
    if (expression.error !== undefined) return new CelError(`composited variable "${name}" fails to compile: ${expression.error}`);
    const { value, cost } = expression.program.evaluate(this.#find);
    this.cost += cost;
    return value instanceof CelError ? new CelError(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }
}
