/** Validation of quotas, with upstream's order and texts. */
import { type FieldError, type HookContext, invalid, required } from "../../plugin.ts";
import { append, type Names } from "../../toolbox.ts";
import { isStandardOfQuotas, resourceName, validateAmount } from "../shared/resource-names.ts";
import type { ResourceQuota, ResourceQuotaSpec, ScopeRequirement } from "./quota-schema.ts";

type Amounts = Readonly<Record<string, string>> | undefined;

const compute = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const ofPods: ReadonlySet<string> = new Set(["pods", ...compute]);
/** The standard resources to which each scope can apply. */
const scopes: Readonly<Record<string, ReadonlySet<string>>> = Object.freeze({
  Terminating: ofPods,
  NotTerminating: ofPods,
  NotBestEffort: ofPods,
  PriorityClass: ofPods,
  CrossNamespacePodAffinity: ofPods,
  BestEffort: new Set(["pods"]),
  VolumeAttributesClass: new Set(["persistentvolumeclaims", "requests.storage"]),
});
/** Scopes whose requirements must have no values. */
const withoutValues = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];
const conflicting = [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]] as const;

/** Validates the names and amounts of one list of resources. */
function validateAmounts(amounts: Amounts, path: string, names: Names): readonly FieldError[] {
  return Object.entries(amounts ?? {}).sort(([a], [b]) => a < b ? -1 : 1).flatMap(([name, amount]) => {
    const at = `${path}[${name}]`;
    return [...validateQuotaName(name, at, names), ...validateAmount(name, amount, at, names)];
  });
}

function validateQuotaName(name: string, path: string, names: Names): readonly FieldError[] {
  const errors = resourceName(name, path, names);
  return name.includes("/") || isStandardOfQuotas(name)
    ? errors
    : [...errors, invalid(path, name, "must be a standard resource for quota")];
}

/** Returns how many standard resources of the quota the scope cannot apply to. */
function misfits(scope: string, hard: Amounts): number {
  const fitting = Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
  return fitting === undefined ? 0 : Object.keys(hard ?? {}).filter((name) => isStandardOfQuotas(name) && !fitting.has(name)).length;
}

function validateScopes({ scopes: given = [], hard }: ResourceQuotaSpec): readonly FieldError[] {
  const path = "spec.scopes", errors: FieldError[] = [];
  for (const scope of given) {
    if (!Object.hasOwn(scopes, scope)) errors.push(invalid(path, given, "unsupported scope"));
    for (let i = misfits(scope, hard); i > 0; i--) errors.push(invalid(path, given, "unsupported scope applied to resource"));
  }
  return [...errors, ...validatePairs(given, given, path)];
}

/** Checks scopes in pairs. `value` is shown in the error; as upstream, it is that of `spec.scopes` for both fields. */
function validatePairs(given: readonly string[], value: readonly string[] | undefined, path: string): readonly FieldError[] {
  return conflicting.filter((pair) => pair.every((scope) => given.includes(scope))).map(() => invalid(path, value, "conflicting scopes"));
}

function validateSelector({ scopeSelector, scopes: given, hard }: ResourceQuotaSpec): readonly FieldError[] {
  if (scopeSelector === undefined) return [];
  const path = "spec.scopeSelector.matchExpressions", errors: FieldError[] = [];
  const { matchExpressions = [] } = scopeSelector;
  for (const requirement of matchExpressions) {
    const { scopeName } = requirement;
    if (!Object.hasOwn(scopes, scopeName)) errors.push({ ...invalid(`${path}.scopeName`, scopeName, "unsupported scope"), quoted: "json" });
    for (let i = misfits(scopeName, hard); i > 0; i--) {
      errors.push(invalid(path, scopeSelector, "unsupported scope applied to resource"));
    }
    append(errors, validateOperator(requirement, path));
  }
  return [...errors, ...validatePairs(matchExpressions.map(({ scopeName }) => scopeName), given, path)];
}

function validateOperator({ scopeName, operator, values = [] }: ScopeRequirement, path: string): readonly FieldError[] {
  const errors: FieldError[] = [], wrong = (why: string) => ({ ...invalid(`${path}.operator`, operator, why), quoted: "json" as const });
  if (withoutValues.includes(scopeName) && operator !== "Exists") {
    errors.push(wrong(
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
        "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    ));
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length > 0) return errors;
    return [...errors, required(`${path}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")];
  }
  if (operator !== "Exists" && operator !== "DoesNotExist") return [...errors, wrong("not a valid selector operator")];
  if (values.length === 0) return errors;
  return [...errors, invalid(`${path}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")];
}

/** Validates a scope of a configuration. */
export function validateRequirement(requirement: ScopeRequirement, path: string): readonly FieldError[] {
  const { scopeName } = requirement;
  return [
    ...(Object.hasOwn(scopes, scopeName) ? [] : [invalid(`${path}.scopeName`, scopeName, "unsupported scope")]),
    ...validateOperator(requirement, path),
  ];
}

export function validateQuota({ spec }: ResourceQuota, { names }: HookContext): readonly FieldError[] {
  return [...validateAmounts(spec.hard, "spec.hard", names), ...validateScopes(spec), ...validateSelector(spec)];
}

export function validateQuotaUpdate(next: ResourceQuota, prior: ResourceQuota, context: HookContext): readonly FieldError[] {
  const before = new Set(prior.spec.scopes), after = new Set(next.spec.scopes);
  const same = before.size === after.size && [...before].every((scope) => after.has(scope));
  return [...validateQuota(next, context), ...same ? [] : [invalid("spec.scopes", next.spec.scopes, "field is immutable")]];
}

export function validateQuotaStatus({ status }: ResourceQuota, _prior: ResourceQuota, { names }: HookContext): readonly FieldError[] {
  return [...validateAmounts(status.hard, "status.hard", names), ...validateAmounts(status.used, "status.used", names)];
}
