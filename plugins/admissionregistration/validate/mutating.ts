/** Validates MutatingAdmissionPolicy and its binding. */
import { type FieldError, type HookContext, invalid, notSupported, required } from "../../../plugin.ts";
import { append, type Release } from "../../../toolbox.ts";
import type { Type } from "../../../cel/types.ts";
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Mutation } from "../mutating-schema.ts";
import { failurePolicies, reinvocationPolicies } from "../schema.ts";
import { ExpressionChecker, goTrim, nothingStored, results, type StoredExpressions, validateMatchConditions } from "./expressions.ts";
import { keepsConditions, validateParamKind, validateParamRef, validatePolicyName, validateVariable } from "./policy.ts";
import {
  validateChoice,
  validateMatchResources,
  validateMutatingOperations,
  validateNeededChoice,
} from "../../../core/admission/validate-match.ts";

type Spec = MutatingAdmissionPolicy["spec"];

interface Context {
  readonly checker: ExpressionChecker;
  readonly hasParams: boolean;
  readonly stored: StoredExpressions;
  readonly minCompatibility: Release;
}

export function validateMutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  { minCompatibility }: Pick<HookContext, "minCompatibility">,
  prior?: MutatingAdmissionPolicy,
): readonly FieldError[] {
  const { paramKind, matchConstraints, variables = [], mutations = [], matchConditions, reinvocationPolicy = "" } = spec;
  const stored = prior === undefined ? nothingStored : expressionsOf(prior.spec);
  const context: Context = {
    checker: new ExpressionChecker(minCompatibility),
    hasParams: paramKind !== undefined,
    stored,
    minCompatibility,
  };
  const errors = [
    ...validateNeededChoice(spec.failurePolicy, failurePolicies, "spec.failurePolicy"),
    ...validateParamKind(paramKind, "spec.paramKind"),
  ];
  if (matchConstraints === undefined) errors.push(required("spec.matchConstraints", ""));
  else {
    append(errors, validateMatchResources(matchConstraints, "spec.matchConstraints"));
    if ((matchConstraints.resourceRules ?? []).length === 0) errors.push(required("spec.matchConstraints.resourceRules", ""));
    append(errors, validateMutatingOperations(matchConstraints, "spec.matchConstraints"));
  }
  if (prior === undefined || !keepsConditions(spec, prior.spec)) {
    append(errors, validateMatchConditions(matchConditions, { ...context, path: "spec.matchConditions" }));
  }
  for (const [i, variable] of variables.entries()) {
    // As in upstream, variables cannot construct objects.
    append(errors, validateVariable(variable, { ...context, hasPatchTypes: false, path: `spec.variables[${i}]` }));
  }
  if (mutations.length === 0) errors.push(required("spec.mutations", "mutations must contain at least one item"));
  for (const [i, mutation] of mutations.entries()) append(errors, validateMutation(mutation, context, `spec.mutations[${i}]`));
  if (reinvocationPolicy === "") errors.push(required("spec.reinvocationPolicy", ""));
  else append(errors, validateChoice(reinvocationPolicy, reinvocationPolicies, "spec.reinvocationPolicy"));
  return errors;
}

function expressionsOf({ matchConditions = [], mutations = [] }: Spec): StoredExpressions {
  return {
    ...nothingStored,
    conditions: new Set(matchConditions.map(({ expression }) => expression)),
    // As in upstream, only stored expressions of apply configurations count as stored, for both kinds of changes.
    mutations: new Set(mutations.flatMap(({ applyConfiguration }) => applyConfiguration?.expression ?? [])),
  };
}

/** The fields of the two kinds of changes, and the types that their expressions must have. */
const changes = Object.freeze({
  ApplyConfiguration: { field: "applyConfiguration", other: "jsonPatch", types: results.applyConfiguration },
  JSONPatch: { field: "jsonPatch", other: "applyConfiguration", types: results.jsonPatch },
});

function validateMutation(mutation: Mutation, context: Context, path: string): readonly FieldError[] {
  const patchType: string = mutation.patchType;
  if (patchType === "") return [required(`${path}.patchType`, "")];
  if (patchType !== "ApplyConfiguration" && patchType !== "JSONPatch") {
    return [notSupported(`${path}.patchType`, patchType, Object.keys(changes))];
  }
  const { field, other, types } = changes[patchType as keyof typeof changes] as Change;
  const change = mutation[field];
  const errors = change === undefined
    ? [required(`${path}.${field}`, `must be specified when patchType is ${patchType}`)]
    : [...validateExpression(change.expression ?? "", context, types, `${path}.${field}.expression`)];
  if (mutation[other] !== undefined) {
    errors.push(invalid(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`));
  }
  return errors;
}
interface Change {
  readonly field: "applyConfiguration" | "jsonPatch";
  readonly other: "applyConfiguration" | "jsonPatch";
  readonly types: readonly Type[];
}

function validateExpression(
  expression: string,
  { checker, hasParams, stored }: Context,
  types: readonly Type[],
  path: string,
): readonly FieldError[] {
  const text = goTrim(expression);
  if (text === "") return [required(path, "")];
  const options = { hasParams, hasAuthorizer: true, hasPatchTypes: true };
  return checker.check(text, { options, types, isStored: stored.mutations.has(expression), path });
}

export function validateMutatingBinding({ spec }: MutatingAdmissionPolicyBinding): readonly FieldError[] {
  return [
    ...validatePolicyName(spec.policyName ?? "", "spec.policyName"),
    ...validateParamRef(spec.paramRef, "spec.paramRef"),
    ...validateMatchResources(spec.matchResources, "spec.matchResources"),
    ...validateMutatingOperations(spec.matchResources, "spec.matchResources"),
  ];
}
