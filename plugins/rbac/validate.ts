/** Validates roles and bindings, in the order of kube-apiserver's pkg/apis/rbac/validation. */
import { type FieldError, type HookContext, invalid, notSupported, required } from "../../plugin.ts";
import {
  append,
  coveredByRule,
  hasInvalidLabelValue,
  type MetaRules,
  pathSegmentName,
  spell,
  subdomainName,
  validateLabelSelector,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import type { Binding, ClusterRole, PolicyRule, Role, RoleRef, Subject } from "./schema.ts";

export function validateRole({ rules }: Role): readonly FieldError[] {
  const errors: FieldError[] = [];
  rules?.forEach((rule, index) => append(errors, validateRule(rule, true, `rules[${index}]`)));
  return errors;
}

export function validateClusterRole({ rules, aggregationRule }: ClusterRole, prior?: ClusterRole): readonly FieldError[] {
  const errors: FieldError[] = [];
  rules?.forEach((rule, index) => append(errors, validateRule(rule, false, `rules[${index}]`)));
  if (aggregationRule === undefined) return errors;
  const path = "aggregationRule.clusterRoleSelectors", selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.push(required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  }
  const storedValues = (prior?.aggregationRule?.clusterRoleSelectors ?? []).some(hasInvalidLabelValue);
  selectors.forEach((selector, index) => {
    const at = `${path}[${index}]`;
    append(errors, validateLabelSelector(selector, at, { storedValues }));
    if (validateLabelSelector(selector, at).length > 0) errors.push(invalid(at, null, "invalid label selector."));
  });
  return errors;
}

function validateRule(rule: PolicyRule, namespaced: boolean, path: string): readonly FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if ((verbs ?? []).length === 0) errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  if (nonResourceURLs.length > 0) {
    const wrong = (reason: string) => void errors.push(invalid(`${path}.nonResourceURLs`, nonResourceURLs, reason));
    if (namespaced) wrong("namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      wrong("rules cannot apply to both regular resources and non-resource URLs");
    }
    return errors;
  }
  if (apiGroups.length === 0) errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  if (resources.length === 0) errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

/** Validates a binding. `kinds` are the kinds of roles that the binding may name. */
export function validateBinding(
  { roleRef, subjects = [] }: Binding,
  kinds: readonly string[],
  context: HookContext,
): readonly FieldError[] {
  const group = spell(context.names, "rbac.authorization.{domain}");
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== group) errors.push(notSupported("roleRef.apiGroup", roleRef.apiGroup, [group]));
  if (!kinds.includes(roleRef.kind)) errors.push(notSupported("roleRef.kind", roleRef.kind, kinds));
  if (roleRef.name === "") errors.push(coveredByRule(required("roleRef.name", "")));
  else for (const wrong of pathSegmentName(roleRef.name, false)) errors.push(invalid("roleRef.name", roleRef.name, wrong));
  const namespaced = kinds.includes("Role");
  subjects.forEach((subject, index) => append(errors, validateSubject(subject, namespaced, `subjects[${index}]`, group)));
  return errors;
}

function validateSubject(
  { kind, apiGroup = "", name, namespace = "" }: Subject,
  namespaced: boolean,
  path: string,
  group: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (name === "") errors.push(coveredByRule(required(`${path}.name`, "")));
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") { for (const wrong of subdomainName(name, false)) errors.push(invalid(`${path}.name`, name, wrong)); }
      if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
      if (!namespaced && namespace === "") errors.push(required(`${path}.namespace`, ""));
      break;
    case "User":
    case "Group":
      if (apiGroup !== group) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [group]));
      break;
    default:
      errors.push(notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"]));
  }
  return errors;
}

export function validateBindingUpdate(
  next: Binding,
  prior: Binding,
  kinds: readonly string[],
  rules: MetaRules,
  context: HookContext,
): readonly FieldError[] {
  const errors = [...validateBinding(next, kinds, context), ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules)];
  if (!sameRole(next.roleRef, prior.roleRef)) errors.push(invalid("roleRef", next.roleRef, "cannot change roleRef"));
  return errors;
}
const sameRole = (a: RoleRef, b: RoleRef): boolean => a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name;
