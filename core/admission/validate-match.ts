/** Validates MatchResources and the rules in webhooks, which say which requests are covered. */
import { append } from "../append.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../field-error.ts";
import { validateLabelSelector } from "../meta/label-selector.ts";
import { pathSegmentName } from "../meta/names.ts";
import { matchPolicies, operations as allOperations, scopes } from "./match-schema.ts";
import type { MatchResources, MatchRule } from "./matching.ts";

/** Operations that a mutating policy can cover. A deletion has no object to change. */
export const mutatingOperations: readonly string[] = allOperations.filter((operation) => operation !== "DELETE");

/** Returns the errors of a value that must be one of some words. */
export function validateChoice(value: string | undefined, words: readonly string[], path: string): readonly FieldError[] {
  return value === undefined || words.includes(value) ? [] : [notSupported(path, value, words)];
}
/** Does the same as `validateChoice` for a value that must be present. */
export function validateNeededChoice(value: string | undefined, words: readonly string[], path: string): readonly FieldError[] {
  return value === undefined ? [required(path, "")] : validateChoice(value, words, path);
}

export function validateMatchResources(match: MatchResources | undefined, path: string): readonly FieldError[] {
  if (match === undefined) return [];
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  const errors = [...validateNeededChoice(matchPolicy, matchPolicies, `${path}.matchPolicy`)];
  for (const [name, selector] of [["namespaceSelector", namespaceSelector], ["objectSelector", objectSelector]] as const) {
    append(errors, selector === undefined ? [required(`${path}.${name}`, "")] : validateLabelSelector(selector, `${path}.${name}`));
  }
  for (const [i, rule] of resourceRules.entries()) append(errors, validateNamedRule(rule, `${path}.resourceRules[${i}]`));
  for (const [i, rule] of excludeResourceRules.entries()) append(errors, validateNamedRule(rule, `${path}.excludeResourceRules[${i}]`));
  return errors;
}

/** Returns the errors of operations that a mutating policy cannot cover. As in upstream, the path has no index. */
export function validateMutatingOperations(match: MatchResources | undefined, path: string): readonly FieldError[] {
  return (match?.resourceRules ?? []).flatMap(({ operations = [] }) =>
    operations.flatMap((operation) => validateChoice(operation, mutatingOperations, `${path}.resourceRules.operations`))
  );
}

function validateNamedRule(rule: MatchRule, path: string): readonly FieldError[] {
  const errors: FieldError[] = [], seen = new Set<string>();
  for (const [i, name] of (rule.resourceNames ?? []).entries()) {
    const at = `${path}.resourceNames[${i}]`;
    for (const wrong of pathSegmentName(name, false)) errors.push(invalid(at, name, wrong));
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  }
  append(errors, validateRule(rule, path));
  return errors;
}

export function validateRule(
  { operations = [], apiGroups = [], apiVersions = [], resources = [], scope }: MatchRule,
  path: string,
): readonly FieldError[] {
  const errors = [...validateList(operations, `${path}.operations`, "operations")];
  for (const [i, operation] of operations.entries()) append(errors, validateChoice(operation, allOperations, `${path}.operations[${i}]`));
  append(errors, validateList(apiGroups, `${path}.apiGroups`, "API groups"));
  append(errors, validateList(apiVersions, `${path}.apiVersions`, "API versions"));
  for (const [i, version] of apiVersions.entries()) if (version === "") errors.push(required(`${path}.apiVersions[${i}]`, ""));
  append(errors, validateResources(resources, `${path}.resources`));
  append(errors, validateChoice(scope, scopes, `${path}.scope`));
  return errors;
}

/** Checks that a list has items, and that `*` is alone. */
function validateList(values: readonly string[], path: string, what: string): readonly FieldError[] {
  if (values.length === 0) return [required(path, "")];
  return values.length > 1 && values.includes("*") ? [invalid(path, values, `if '*' is present, must not specify other ${what}`)] : [];
}

function validateResources(resources: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(path, "")] : [];
  /** Resources whose subresources are all covered, and subresources that are covered for all resources. */
  const whole = new Set<string>(), everywhere = new Set<string>();
  let endsWithPlain = false;
  for (const [i, each] of resources.entries()) {
    const at = `${path}[${i}]`, slash = each.indexOf("/");
    if (each === "") errors.push(required(at, ""));
    else if (slash < 0) endsWithPlain = each !== "*";
    else {
      const resource = each.slice(0, slash), subresource = each.slice(slash + 1);
      if (whole.has(resource)) errors.push(invalid(at, each, `if '${resource}/*' is present, must not specify ${each}`));
      if (everywhere.has(subresource)) errors.push(invalid(at, each, `if '*/${subresource}' is present, must not specify ${each}`));
      if (subresource === "*") whole.add(resource);
      if (resource === "*") everywhere.add(subresource);
    }
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  // As in upstream, only the last resource without a subresource counts.
  if (resources.includes("*") && endsWithPlain) {
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  }
  return errors;
}
