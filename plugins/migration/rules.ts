/** Validation of migrations. The rules of v1alpha1 are fewer than those of v1beta1, as upstream. */
import { type FieldError, type HookContext, invalid, required } from "../../plugin.ts";
import {
  dns1035Label,
  dns1123Subdomain,
  goQuote,
  metaRulesOf,
  sameValue,
  validateConditions,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { alphaFieldsOf } from "./alpha.ts";
import type { StorageVersionMigration } from "./schema.ts";

export const strategy = { unconditionalUpdate: false, coreFinalizers: true } as const;
const kind = { scope: "Cluster", strategy } as const;

/** Whether the request is in v1alpha1. */
export function isAlpha(context: HookContext): boolean {
  return context.requestVersion.endsWith("/v1alpha1");
}

export function validateSpec(next: StorageVersionMigration, context: HookContext): readonly FieldError[] {
  const { group, resource } = next.spec.resource;
  const missing = missingResource(next);
  if (isAlpha(context)) return [...missing, ...missingVersion(next)];
  return [
    ...missing,
    ...(resource === "" ? [] : joinProblems(dns1035Label(resource), "spec.resource.resource", resource)),
    ...(group === "" ? [] : joinProblems(dns1123Subdomain(group), "spec.resource.group", group)),
  ];
}

function missingResource({ spec: { resource: { resource } } }: StorageVersionMigration): readonly FieldError[] {
  return resource === "" ? [required("spec.resource.resource", "resource is required to be set")] : [];
}
function missingVersion(next: StorageVersionMigration): readonly FieldError[] {
  return alphaFieldsOf(next).version === "" ? [required("spec.resource.version", "version is required to be set")] : [];
}

/** Joins the problems of a value into one error, as upstream. */
function joinProblems(wrong: readonly string[], path: string, value: string): readonly FieldError[] {
  return wrong.length === 0 ? [] : [invalid(path, value, wrong.join(","))];
}

export function validateUpdate(next: StorageVersionMigration, prior: StorageVersionMigration, context: HookContext): readonly FieldError[] {
  const meta = validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(kind, context.names));
  if (!isAlpha(context)) {
    const spec = sameValue(next.spec, prior.spec) ? [] : [invalid("spec", next.spec, "field is immutable")];
    return [...validateSpec(next, context), ...meta, ...spec];
  }
  const now = next.spec.resource, before = prior.spec.resource;
  const version = alphaFieldsOf(next).version, versionBefore = alphaFieldsOf(prior).version;
  // The short paths are upstream's. A migration made in v1beta1 has no version until the controller sets it, and may be updated before that.
  return [
    ...missingResource(next),
    ...(versionBefore === "" ? [] : missingVersion(next)),
    ...meta,
    ...(now.group === before.group ? [] : [invalid("group", now.group, "field is immutable")]),
    ...(versionBefore === "" || version === versionBefore ? [] : [invalid("version", version, "field is immutable")]),
    ...(now.resource === before.resource ? [] : [invalid("resource", now.resource, "field is immutable")]),
  ];
}

type Conditions = StorageVersionMigration["status"]["conditions"];

function isTrue(conditions: Conditions, type: string): boolean {
  return (conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
}

export function validateStatus(next: StorageVersionMigration, prior: StorageVersionMigration, context: HookContext): readonly FieldError[] {
  const { conditions, resourceVersion = "" } = next.status;
  const wrong = resourceVersion === ""
    ? undefined
    : isAlpha(context)
    ? alphaVersionProblem(resourceVersion)
    : versionProblem(resourceVersion);
  const priorVersion = prior.status.resourceVersion ?? "";
  return [
    ...(wrong === undefined ? [] : [invalid("status.resourceVersion", resourceVersion, wrong)]),
    ...conditionErrors(conditions, prior.status.conditions, context),
    ...(priorVersion === "" || priorVersion === resourceVersion
      ? []
      : [invalid("status.resourceVersion", resourceVersion, "field is immutable")]),
    ...validateOutcome(conditions, prior.status.conditions),
  ];
}

/**
 * The errors of conditions. Reason and time are required in v1beta1 only. There a condition without them that v1alpha1 wrote may stay as it is,
 * else neither the controller nor a client of v1beta1 could write the status of such a migration.
 */
function conditionErrors(now: Conditions, before: Conditions, context: HookContext): readonly FieldError[] {
  const mayLack = (now ?? []).map((each) => isAlpha(context) || (before ?? []).some((prior) => sameValue(prior, each)));
  const optional = new Set(
    mayLack.flatMap((may, i) => may ? ["reason", "lastTransitionTime"].map((key) => `status.conditions[${i}].${key}`) : []),
  );
  return validateConditions(now, "status.conditions").filter(({ type, path }) => type !== "Required" || !optional.has(path));
}

function versionProblem(version: string): string | undefined {
  return /^[1-9][0-9]*$/.test(version) ? undefined : `resource version is not well formed: ${version}`;
}
function alphaVersionProblem(version: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(version)) {
    return `failed to parse resource version ${goQuote(version)}: strconv.ParseInt: parsing ${goQuote(version)}: invalid syntax`;
  }
  if (BigInt.asIntN(64, BigInt(version)) !== BigInt(version)) {
    return `failed to parse resource version ${goQuote(version)}: strconv.ParseInt: parsing ${goQuote(version)}: value out of range`;
  }
  return BigInt(version) < 0n ? "resource version should be a non-negative integer" : undefined;
}

/** Checks that Succeeded, Failed and Running exclude each other, and that Succeeded and Failed stay true. */
function validateOutcome(now: Conditions, before: Conditions): readonly FieldError[] {
  const succeeded = isTrue(now, "Succeeded"), failed = isTrue(now, "Failed"), running = isTrue(now, "Running");
  const rules: readonly (readonly [violated: boolean, detail: string])[] = [
    [succeeded && failed, "Both success and failed conditions cannot be true at the same time"],
    [succeeded && running, "Running condition cannot be true when success condition is true"],
    [failed && running, "Running condition cannot be true when failed condition is true"],
    [isTrue(before, "Succeeded") && !succeeded, "Success condition cannot be set to false once it is true"],
    [isTrue(before, "Failed") && !failed, "Failed condition cannot be set to false once it is true"],
  ];
  return rules.filter(([violated]) => violated).map(([, detail]) => invalid("status.conditions", now, detail));
}
