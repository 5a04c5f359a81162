/** The compiled expressions of a ValidatingAdmissionPolicy. */
import { PolicyCompiler, type PolicyExpression, type PolicyOptions } from "../../../core/cel/policy/policy.ts";
import type { ValidatingAdmissionPolicy } from "../schema.ts";
import { goTrim, results, storedBase } from "../validate/expressions.ts";

/** An expression with its text, as errors show it. */
export interface Expression {
  readonly text: string;
  readonly compiled: PolicyExpression;
}

/** The expressions of a policy. Those that do not compile fail when they are evaluated. */
export interface CompiledPolicy {
  readonly compiler: PolicyCompiler;
  readonly conditions: readonly (Expression & { readonly name: string })[];
  /** Conditions have no variables. */
  readonly conditionCompiler: PolicyCompiler;
  readonly validations: readonly Expression[];
  /** By validation; undefined if it has no expression for the message. */
  readonly messages: readonly (Expression | undefined)[];
  readonly annotations: readonly (Expression & { readonly key: string })[];
  /** Whether an expression may read `namespaceObject`. */
  readonly readsNamespace: boolean;
}

/** Compiles the expressions of a stored policy with the libraries of all versions. */
export function compiledPolicy({ spec }: ValidatingAdmissionPolicy): CompiledPolicy {
  const { paramKind, variables = [], validations = [], auditAnnotations = [], matchConditions = [] } = spec;
  const hasVariables = variables.length > 0;
  const options: PolicyOptions = { hasParams: paramKind !== undefined, hasAuthorizer: true, hasPatchTypes: false, hasVariables };
  const compiler = new PolicyCompiler(storedBase(), options);
  const conditionCompiler = new PolicyCompiler(storedBase(), { ...options, hasVariables: false });
  // Messages have no variable `authorizer`.
  const messageCompiler = new PolicyCompiler(storedBase(), { ...options, hasAuthorizer: false });
  for (const { name, expression } of variables) for (const each of [compiler, messageCompiler]) each.declare(name, expression);
  const texts = [
    ...variables.map(({ expression }) => expression),
    ...validations.flatMap(({ expression, messageExpression = "" }) => [expression, messageExpression]),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ];
  return {
    // Identifiers have no escapes.
    readsNamespace: texts.some((text) => text.includes("namespaceObject")),
    compiler,
    conditionCompiler,
    conditions: matchConditions.map(({ name, expression }) => ({
      name,
      text: expression,
      compiled: conditionCompiler.compile(expression, results.condition),
    })),
    validations: validations.map(({ expression }) => ({ text: expression, compiled: compiler.compile(expression, results.condition) })),
    messages: validations.map(({ messageExpression = "" }) =>
      goTrim(messageExpression) === ""
        ? undefined
        : { text: messageExpression, compiled: messageCompiler.compile(messageExpression, results.message) }
    ),
    annotations: auditAnnotations.map(({ key, valueExpression }) => ({
      key,
      text: valueExpression,
      compiled: compiler.compile(valueExpression, results.annotation),
    })),
  };
}
