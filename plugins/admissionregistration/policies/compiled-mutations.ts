/** The compiled expressions of a MutatingAdmissionPolicy. */
import { PolicyCompiler, type PolicyExpression, type PolicyOptions } from "../../../cel/policy/policy.ts";
import type { MutatingAdmissionPolicy } from "../mutating-schema.ts";
import { results } from "../validate/expressions.ts";
import { storedExpressions } from "../../../cel/schema/environments.ts";
import { type CompiledConditions, compiledConditions } from "../conditions/match-conditions.ts";
import { mayRead } from "./compiled-policy.ts";

/** A mutation of a policy. */
export interface CompiledMutation {
  readonly type: "ApplyConfiguration" | "JSONPatch";
  readonly text: string;
  readonly compiled: PolicyExpression;
}

/** The compiled expressions of a policy. One that does not compile fails when it is evaluated. */
export interface CompiledMutations extends CompiledConditions {
  readonly compiler: PolicyCompiler;
  readonly mutations: readonly CompiledMutation[];
  /** Whether an expression may read `namespaceObject`. */
  readonly readsNamespace: boolean;
}

/** Compiles the expressions of a stored policy with the libraries of all versions. */
export function compiledMutations({ spec }: MutatingAdmissionPolicy): CompiledMutations {
  const { paramKind, variables = [], mutations = [], matchConditions = [] } = spec;
  const options: PolicyOptions = { hasParams: paramKind !== undefined, hasAuthorizer: true, hasPatchTypes: true };
  const compiler = new PolicyCompiler(storedExpressions(), options);
  // As in upstream, variables cannot construct objects.
  const variableCompiler = new PolicyCompiler(storedExpressions(), { ...options, hasPatchTypes: false });
  for (const { name, expression } of variables) compiler.define(name, variableCompiler.declare(name, expression));
  const texts = [
    ...variables.map(({ expression }) => expression),
    ...mutations.flatMap(({ applyConfiguration, jsonPatch }) => [applyConfiguration?.expression ?? "", jsonPatch?.expression ?? ""]),
  ];
  return {
    readsNamespace: mayRead(texts, "namespaceObject"),
    compiler,
    ...compiledConditions(matchConditions, options.hasParams),
    mutations: mutations.flatMap(({ patchType, applyConfiguration, jsonPatch }): CompiledMutation | [] => {
      if (patchType === "JSONPatch") {
        const text = jsonPatch?.expression ?? "";
        return { type: patchType, text, compiled: compiler.compile(text, results.jsonPatch) };
      }
      const text = applyConfiguration?.expression ?? "";
      return { type: "ApplyConfiguration", text, compiled: compiler.compile(text, results.applyConfiguration) };
    }),
  };
}
