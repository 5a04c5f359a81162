/** Validates ValidatingAdmissionPolicy and its binding. */
import { duplicate, type FieldError, type HookContext, invalid, notSupported, required } from "../../../plugin.ts";
import { append, qualifiedName, type Release, utf8Length, validateConditions } from "../../../toolbox.ts";
import { JsonPathError, parseJsonPath } from "../../../core/json-path/parse.ts";
import {
  type AuditAnnotation,
  failurePolicies,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  type Validation,
} from "../schema.ts";
import { ExpressionChecker, goTrim, nothingStored, results, type StoredExpressions, validateMatchConditions } from "./expressions.ts";
import { keepsConditions, validateParamKind, validateParamRef, validatePolicyName, validateVariable } from "./policy.ts";
import { validateMatchResources, validateNeededChoice } from "../../../core/admission/validate-match.ts";

type Spec = ValidatingAdmissionPolicy["spec"];

/** The environment in which the expressions of a policy are checked. */
interface Context {
  readonly checker: ExpressionChecker;
  readonly hasParams: boolean;
  readonly hasVariables: boolean;
  readonly stored: StoredExpressions;
  readonly minCompatibility: Release;
}

const auditAnnotationsMax = 20;
/**
 * Maximum bytes of a value expression. It is less than an annotation may have, because expressions that join texts often make longer ones.
 */
const valueExpressionBytesMax = 5 * 1024;
const reasons: readonly string[] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const oneOfBoth = "validations or auditAnnotations must contain at least one item";

export function validatePolicy(
  next: ValidatingAdmissionPolicy,
  { minCompatibility }: Pick<HookContext, "minCompatibility">,
  prior?: ValidatingAdmissionPolicy,
): readonly FieldError[] {
  const { metadata: { name = "" }, spec } = next;
  const { paramKind, matchConstraints, variables = [], validations = [], auditAnnotations = [], matchConditions } = spec;
  const stored = prior === undefined ? nothingStored : expressionsOf(prior.spec);
  const context: Context = {
    checker: new ExpressionChecker(minCompatibility),
    hasParams: paramKind !== undefined,
    hasVariables: variables.length > 0,
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
  }
  if (prior === undefined || !keepsConditions(spec, prior.spec)) {
    append(errors, validateMatchConditions(matchConditions, { ...context, path: "spec.matchConditions" }));
  }
  for (const [i, variable] of variables.entries()) {
    append(errors, validateVariable(variable, { ...context, hasPatchTypes: false, path: `spec.variables[${i}]` }));
  }
  if (validations.length === 0 && auditAnnotations.length === 0) {
    return [...errors, required("spec.validations", oneOfBoth), required("spec.auditAnnotations", oneOfBoth)];
  }
  for (const [i, each] of validations.entries()) append(errors, validateValidation(each, context, `spec.validations[${i}]`));
  append(errors, validateAnnotations(name, auditAnnotations, context));
  return errors;
}

function expressionsOf({ matchConditions = [], validations = [], auditAnnotations = [] }: Spec): StoredExpressions {
  return {
    ...nothingStored,
    conditions: new Set(matchConditions.map(({ expression }) => expression)),
    validations: new Set(validations.map(({ expression }) => expression)),
    messages: new Set(validations.flatMap(({ messageExpression = "" }) => messageExpression === "" ? [] : messageExpression)),
    annotations: new Set(auditAnnotations.map(({ valueExpression }) => valueExpression)),
  };
}

function validateValidation(
  { expression, message = "", messageExpression = "", reason }: Validation,
  { checker, hasParams, hasVariables, stored }: Context,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (goTrim(expression) === "") errors.push(required(`${path}.expression`, "expression is not specified"));
  else {
    const options = { hasParams, hasAuthorizer: true, hasPatchTypes: false, hasVariables }, isStored = stored.validations.has(expression);
    append(errors, checker.check(expression, { options, types: results.condition, isStored, path: `${path}.expression` }));
  }
  const messagePath = `${path}.messageExpression`;
  if (messageExpression !== "" && goTrim(messageExpression) === "") {
    errors.push(invalid(messagePath, messageExpression, "must be non-empty if specified"));
  } else if (messageExpression !== "") {
    const options = { hasParams, hasAuthorizer: false, hasPatchTypes: false, hasVariables },
      isStored = stored.messages.has(messageExpression);
    append(errors, checker.check(messageExpression, { options, types: results.message, isStored, path: messagePath }));
  }
  const trimmed = goTrim(message);
  if (message !== "" && trimmed === "") errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (/[\n\r]/.test(trimmed)) errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
  return errors;
}

function validateAnnotations(policyName: string, annotations: readonly AuditAnnotation[], context: Context): readonly FieldError[] {
  const errors: FieldError[] = [], keys = new Set<string>(), path = "spec.auditAnnotations";
  if (annotations.length > auditAnnotationsMax) {
    errors.push(invalid(path, annotations, `must not have more than ${auditAnnotationsMax} auditAnnotations`));
  }
  for (const [i, annotation] of annotations.entries()) {
    const { key } = annotation, at = `${path}[${i}]`;
    if (policyName === "") errors.push(invalid(`${at}.key`, key, "requires metadata.name be non-empty"));
    else {
      const whole = `${policyName}/${key}`;
      for (const wrong of qualifiedName(whole)) errors.push(invalid(`${at}.key`, whole, wrong));
    }
    append(errors, validateValueExpression(annotation, context, `${at}.valueExpression`));
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
  }
  return errors;
}

function validateValueExpression(
  { valueExpression }: AuditAnnotation,
  { checker, hasParams, hasVariables, stored }: Context,
  path: string,
): readonly FieldError[] {
  const text = goTrim(valueExpression);
  if (text === "") return [required(path, "valueExpression is not specified")];
  if (utf8Length(text) > valueExpressionBytesMax) return [required(path, `must not exceed ${valueExpressionBytesMax} bytes in length`)];
  const options = { hasParams, hasAuthorizer: true, hasPatchTypes: false, hasVariables },
    isStored = stored.annotations.has(valueExpression);
  return checker.check(text, { options, types: results.annotation, isStored, path, shown: valueExpression });
}

export function validatePolicyStatus({ status: { typeChecking, conditions } }: ValidatingAdmissionPolicy): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { fieldRef, warning }] of (typeChecking?.expressionWarnings ?? []).entries()) {
    const path = `status.typeChecking.expressionWarnings[${i}]`;
    if (warning === "") errors.push(required(`${path}.warning`, ""));
    append(errors, validateFieldRef(goTrim(fieldRef), `${path}.fieldRef`));
  }
  append(errors, validateConditions(conditions, "status.conditions"));
  return errors;
}

function validateFieldRef(fieldRef: string, path: string): readonly FieldError[] {
  if (fieldRef === "") return [required(path, "")];
  const parsed = parseJsonPath(fieldRef);
  return parsed instanceof JsonPathError ? [invalid(path, fieldRef, `invalid JSONPath: ${parsed.message}`)] : [];
}

const actions: readonly string[] = ["Audit", "Deny", "Warn"];
const denyAndWarn =
  "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";

export function validatePolicyBinding({ spec }: ValidatingAdmissionPolicyBinding): readonly FieldError[] {
  return [
    ...validatePolicyName(spec.policyName ?? "", "spec.policyName"),
    ...validateParamRef(spec.paramRef, "spec.paramRef"),
    ...validateMatchResources(spec.matchResources, "spec.matchResources"),
    ...validateActions(spec.validationActions ?? [], "spec.validationActions"),
  ];
}

function validateActions(given: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [], seen = new Set<string>();
  for (const [i, action] of given.entries()) {
    if (!actions.includes(action)) errors.push(notSupported(`${path}[${i}]`, action, actions));
    if (seen.has(action)) errors.push(duplicate(`${path}[${i}]`, action));
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn")) errors.push(invalid(path, given, denyAndWarn));
  if (seen.size === 0) errors.push(required(path, "at least one validation action is required"));
  return errors;
}
