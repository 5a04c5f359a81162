/** Validates claims and warns of them, with upstream's order and texts (pkg/apis/core/validation). */
import { type FieldError, forbidden, type HookContext, invalid, notSupported, required } from "../../plugin.ts";
import {
  amountOf,
  compareQuantities,
  hasInvalidLabelValue,
  isWhole,
  metaRulesOf,
  qualifiedName,
  type Quantity,
  sameAmounts,
  sameValue,
  spell,
  validateNotNegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { type PersistentVolumeClaimSpec, validateClaimSpec } from "../shared/volumes/mod.ts";
import { type PersistentVolumeClaim, resizeStatuses } from "../shared/volumes/claim.ts";
import { mirrorSource } from "./claim-sources.ts";
import { classAnnotation } from "./columns.ts";
import { attributesClassGate, attributesClassInUse } from "./gates.ts";

const kind = { scope: "Namespaced", strategy: { coreFinalizers: true } } as const;

function validateSpec(next: PersistentVolumeClaim, prior: PersistentVolumeClaim | undefined, context: HookContext): readonly FieldError[] {
  return validateClaimSpec(next.spec, "spec", {
    attributesClass: attributesClassInUse(prior?.spec.volumeAttributesClassName, context.gates),
    storedValues: hasInvalidLabelValue(prior?.spec.selector),
    // A group that is absent is null in an object that was decoded.
    storedGroups: [prior?.spec.dataSource, prior?.spec.dataSourceRef].some((source) => (source?.apiGroup ?? undefined) !== undefined),
  });
}

export function validateClaimCreate(next: PersistentVolumeClaim, context: HookContext): readonly FieldError[] {
  return validateSpec(next, undefined, context);
}

export function validateClaimUpdate(
  next: PersistentVolumeClaim,
  stored: PersistentVolumeClaim,
  context: HookContext,
): readonly FieldError[] {
  const rules = metaRulesOf(kind, context.names);
  // A claim stored by an older release may have only one of the two source fields.
  const prior = { ...stored, spec: mirrorSource(stored.spec) };
  return [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
    ...validateObjectMeta(next.metadata, rules),
    ...validateSpec(next, prior, context),
    ...validateUnchanged(next, prior, context),
  ];
}

const immutableSpec = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function validateUnchanged(next: PersistentVolumeClaim, prior: PersistentVolumeClaim, context: HookContext): readonly FieldError[] {
  const key = spell(context.names, classAnnotation);
  const errors: FieldError[] = [];
  const migrated = isClassMigrated(next, prior, key);
  const [now, before] = [annotationOf(next, key), annotationOf(prior, key)];
  if (!migrated && now !== before) errors.push(invalid(`metadata.annotations.${key}`, now ?? "", "field is immutable"));
  if (!sameSpec(withAllowedChanges(next, prior, migrated || before === undefined), prior.spec)) {
    errors.push(forbidden("spec", immutableSpec));
  }
  const [size, oldSize] = [storageOf(next.spec.resources.requests), storageOf(prior.spec.resources.requests)];
  if (compareQuantities(size, oldSize) < 0 && compareQuantities(size, storageOf(prior.status.capacity)) <= 0) {
    errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  // The path lacks "spec.", as upstream.
  if (next.spec.volumeMode !== prior.spec.volumeMode) errors.push(invalid("volumeMode", next.spec.volumeMode, "field is immutable"));
  return [...errors, ...validateAttributesClass(next, prior, context)];
}

function annotationOf({ metadata: { annotations = {} } }: PersistentVolumeClaim, key: string): string | undefined {
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

/** Whether the update copies the class from the deprecated annotation to the field without changing it. */
function isClassMigrated(next: PersistentVolumeClaim, prior: PersistentVolumeClaim, key: string): boolean {
  const before = annotationOf(prior, key), now = annotationOf(next, key);
  return before !== undefined && prior.spec.storageClassName === undefined && next.spec.storageClassName === before &&
    (now === undefined || now === before);
}

/** A spec that is only compared. In it, an undefined field equals an absent one. */
type Compared = { readonly [K in keyof PersistentVolumeClaimSpec]?: PersistentVolumeClaimSpec[K] | undefined };

/**
 * Returns the new spec with the mutable fields reset to their prior values, for comparison with the prior spec.
 *
 * @param maySetClass whether the update may set a class that was absent
 */
function withAllowedChanges(next: PersistentVolumeClaim, prior: PersistentVolumeClaim, maySetClass: boolean): Compared {
  const { spec: old } = prior;
  const bound = next.status.phase === "Bound";
  const { requests } = next.spec.resources;
  return {
    ...next.spec,
    ...((old.volumeName ?? "") === "" ? { volumeName: old.volumeName } : {}),
    ...(maySetClass && old.storageClassName === undefined ? { storageClassName: undefined } : {}),
    ...(bound ? { volumeAttributesClassName: old.volumeAttributesClassName } : {}),
    ...(bound && requests !== undefined
      ? { resources: { ...next.spec.resources, requests: { ...requests, storage: storageOf(old.resources.requests) } } }
      : {}),
  };
}

/** Whether two specs are equal in upstream's sense: quantities are compared by value, and empty lists and strings equal absent ones. */
function sameSpec(a: Compared, b: Compared): boolean {
  const { resources: mine, ...restA } = a, { resources: yours, ...restB } = b;
  return sameAmounts(mine?.requests, yours?.requests) && sameAmounts(mine?.limits, yours?.limits) &&
    sameValue(compact(restA), compact(restB));
}
/** Removes empty fields, except class names: these are pointers in upstream, so an empty one differs from an absent one. */
function compact(spec: object): object {
  const empty = (key: string, value: unknown) =>
    value === undefined || (key === "volumeName" && value === "") || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(spec).filter(([key, value]) => !empty(key, value)));
}

function storageOf(amounts: Readonly<Record<string, Quantity>> | undefined): Quantity {
  return amounts !== undefined && Object.hasOwn(amounts, "storage") ? amounts["storage"]! : "0";
}

const notNilDetail = "is forbidden when status.currentVolumeAttributesClassName is not nil";

/** Checks changes of the attributes class. It cannot be removed after one was applied. */
function validateAttributesClass(next: PersistentVolumeClaim, prior: PersistentVolumeClaim, context: HookContext): readonly FieldError[] {
  const { volumeAttributesClassName: now } = next.spec, { volumeAttributesClassName: before } = prior.spec;
  const path = "spec.volumeAttributesClassName";
  if (now === before) return [];
  const errors = context.gates(attributesClassGate)
    ? []
    : [forbidden(path, "update is forbidden when the VolumeAttributesClass feature gate is disabled")];
  if (!attributesClassInUse(before, context.gates) || prior.status.currentVolumeAttributesClassName === undefined) return errors;
  if (now === undefined) return [...errors, forbidden(path, `update to nil ${notNilDetail}`)];
  return now === "" ? [...errors, forbidden(path, `update to empty string ${notNilDetail}`)] : errors;
}

export function validateClaimStatus(
  next: PersistentVolumeClaim,
  prior: PersistentVolumeClaim,
  context: HookContext,
): readonly FieldError[] {
  const { capacity = {}, allocatedResources = {}, allocatedResourceStatuses = {} } = next.status;
  const statuses: readonly string[] = resizeStatuses;
  return [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(kind, context.names)),
    ...((next.spec.accessModes ?? []).length === 0 ? [required("Spec.accessModes", "")] : []),
    ...Object.entries(capacity).flatMap(([key, amount]) => validateNotNegative(amount, `status.capacity[${key}]`)),
    ...Object.entries(allocatedResourceStatuses).flatMap(([key, status]) => [
      ...validateResourceKey(key, "status.allocatedResourceStatuses", context),
      ...(statuses.includes(status) ? [] : [notSupported("status.allocatedResourceStatuses", key, [...statuses].sort())]),
    ]),
    ...Object.entries(allocatedResources).flatMap(([key, amount]) => {
      const wrong = validateResourceKey(key, "status.allocatedResources", context);
      return wrong.length > 0 ? wrong : validateNotNegative(amount, `status.allocatedResources[${key}]`);
    }),
  ];
}

/** Checks a resource name. The only one without a domain, or with the platform's, is `storage`. */
function validateResourceKey(key: string, path: string, { names }: HookContext): readonly FieldError[] {
  const wrong = qualifiedName(key).map((each) => invalid(path, key, each));
  if (wrong.length > 0) return wrong;
  const native = !key.includes("/") || key.includes(spell(names, "{platform}.io/"));
  return native && key !== "storage" ? [notSupported(path, key, ["storage"])] : [];
}

export function warnOfClaim(claim: PersistentVolumeClaim, { names }: HookContext): readonly string[] {
  const key = spell(names, classAnnotation);
  const { requests, limits } = claim.spec.resources;
  const fractional = Object.entries({ requests, limits }).flatMap(([word, amounts]) => {
    const storage = storageOf(amounts);
    if (isWhole(amountOf(storage))) return [];
    return [`spec.resources.${word}[storage]: fractional byte value "${storage}" is invalid, must be an integer`];
  });
  return [
    ...(annotationOf(claim, key) === undefined
      ? []
      : [`metadata.annotations[${key}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
    ...fractional,
  ];
}
