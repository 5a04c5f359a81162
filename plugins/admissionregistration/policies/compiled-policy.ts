/** The compiled expressions of a ValidatingAdmissionPolicy. */
import { PolicyCompiler, type PolicyOptions } from "../../../cel/policy/policy.ts";
import { type CompiledConditions, compiledConditions } from "../conditions/match-conditions.ts";
import type { Expression } from "../conditions/in-turn.ts";
import type { ValidatingAdmissionPolicy } from "../schema.ts";
import { goTrim, results } from "../validate/expressions.ts";
import { storedExpressions } from "../../../cel/schema/environments.ts";

/** The compiled expressions of a policy. One that does not compile fails when it is evaluated. */
export interface CompiledPolicy extends CompiledConditions {
  readonly compiler: PolicyCompiler;
  readonly validations: readonly Expression[];
  /** The message expression of each validation; undefined if a validation has none. */
  readonly messages: readonly (Expression | undefined)[];
  readonly annotations: readonly (Expression & { readonly key: string })[];
  /** Whether an expression may read `namespaceObject`. */
  readonly readsNamespace: boolean;
}

/** Whether one of the expressions may read the variable. A text search is enough, because identifiers have no escapes. */
export function mayRead(texts: readonly string[], variable: string): boolean {
  return texts.some((text) => text.includes(variable));
}

/** Compiles the expressions of a stored policy with the libraries of all versions. */
export function compiledPolicy({ spec }: ValidatingAdmissionPolicy): CompiledPolicy {
  const { paramKind, variables = [], validations = [], auditAnnotations = [], matchConditions = [] } = spec;
  const hasVariables = variables.length > 0;
  const options: PolicyOptions = { hasParams: paramKind !== undefined, hasAuthorizer: true, hasPatchTypes: false, hasVariables };
  const compiler = new PolicyCompiler(storedExpressions(), options);
  // The variable `authorizer` is not available in messages.
  const messageCompiler = new PolicyCompiler(storedExpressions(), { ...options, hasAuthorizer: false });
  for (const { name, expression } of variables) for (const each of [compiler, messageCompiler]) each.declare(name, expression);
  const texts = [
    ...variables.map(({ expression }) => expression),
    ...validations.flatMap(({ expression, messageExpression = "" }) => [expression, messageExpression]),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ];
  return {
    readsNamespace: mayRead(texts, "namespaceObject"),
    compiler,
    ...compiledConditions(matchConditions, options.hasParams),
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
