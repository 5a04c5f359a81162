/**
 * Validation of metadata, in upstream's order and words. The kernel calls it before a resource's own rules; a resource
 * whose upstream counterpart reaches the same checks again calls it again, because the causes of a refusal repeat:
 *
 *     create   kernel: validateObjectMeta with the kind's rules            then resource.create
 *     update   kernel: validateObjectMeta with `storedNameRules`,
 *                      validateObjectMetaUpdate                            then resource.update (or the subresource's)
 *
 * After a creation without findings the kernel also checks with `storedNameRules`, as kinds without a rule of their own
 * for names need it.
 */
import { append } from "../append.ts";
import { limits } from "../limits.ts";
import { type FieldError, forbidden, invalid, required } from "../field-error.ts";
import { defaultNames, type Names } from "../names.ts";
import { validateManagedFields } from "./field-manager.ts";
import { validateFinalizers, validateNoNewFinalizers, validateStandardFinalizer } from "./finalizers.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { labelName, type NameRule, pathSegmentName, subdomainName } from "./names.ts";
import type { ObjectMeta } from "./object-meta.ts";
import { validateOwnerReferences } from "./owner-references.ts";

/** What of metadata differs from kind to kind. */
export interface MetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** Finalizers without a slash must be standard ones. */
  readonly coreFinalizers: boolean;
  readonly names: Names;
}

/** The parts of a resource that its metadata rules depend on. */
interface Scoped {
  readonly scope: "Cluster" | "Namespaced";
  readonly strategy?: { readonly nameRule?: NameRule; readonly coreFinalizers?: boolean };
}

/** The rules that a resource's scope and strategy say. */
export function metaRulesOf(resource: Scoped, names: Names): MetaRules {
  return {
    namespaced: resource.scope === "Namespaced",
    nameRule: resource.strategy?.nameRule ?? subdomainName,
    coreFinalizers: resource.strategy?.coreFinalizers ?? false,
    names,
  };
}

/** The rules for what is stored already: the name need only be fit for a path. */
export function storedNameRules(scope: Scoped["scope"]): MetaRules {
  return { namespaced: scope === "Namespaced", nameRule: pathSegmentName, coreFinalizers: false, names: defaultNames };
}

/** The metadata of one object by itself. */
export function validateObjectMeta(meta: ObjectMeta, rules: MetaRules, path = "metadata"): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", generateName = "", namespace = "", generation = 0 } = meta;
  if (generateName !== "") {
    for (const wrong of rules.nameRule(generateName, true)) errors.push(invalid(`${path}.generateName`, generateName, wrong));
  }
  if (name === "") errors.push(required(`${path}.name`, "name or generateName is required"));
  else for (const wrong of rules.nameRule(name, false)) errors.push(invalid(`${path}.name`, name, wrong));
  if (!rules.namespaced) {
    if (namespace !== "") errors.push(forbidden(`${path}.namespace`, "not allowed on this type"));
  } else if (namespace === "") errors.push(required(`${path}.namespace`, ""));
  else for (const wrong of labelName(namespace, false)) errors.push(invalid(`${path}.namespace`, namespace, wrong));
  if (generation < 0) errors.push(invalid(`${path}.generation`, generation, "must be greater than or equal to 0"));
  append(
    errors,
    validateLabels(meta.labels, `${path}.labels`),
    validateAnnotations(meta.annotations, `${path}.annotations`),
    validateOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`),
    validateFinalizers(meta.finalizers, `${path}.finalizers`),
    validateManagedFields(meta.managedFields, `${path}.managedFields`),
    rules.coreFinalizers ? validateStandardFinalizers(meta, rules.names, path) : [],
  );
  return errors;
}

const immutableKeys = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;

/**
 * What of metadata may not change. With `rules` it is the form in which resources of the platform reach it, which adds
 * the check of standard finalizers. The resourceVersion is not looked at: the store's own check stands for it.
 */
export function validateObjectMetaUpdate(next: ObjectMeta, prior: ObjectMeta, path = "metadata", rules?: MetaRules): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isSet(prior.deletionTimestamp)) append(errors, validateNoNewFinalizers(next.finalizers, prior.finalizers, `${path}.finalizers`));
  if ((next.generation ?? 0) < (prior.generation ?? 0)) {
    errors.push(invalid(`${path}.generation`, next.generation ?? 0, "must not be decremented"));
  }
  for (const key of immutableKeys) {
    const [now, before] = [valueOf(next, key), valueOf(prior, key)];
    if (now !== before) errors.push(invalid(`${path}.${key}`, now, "field is immutable"));
  }
  append(
    errors,
    validateLabels(next.labels, `${path}.labels`),
    validateAnnotations(next.annotations, `${path}.annotations`),
    validateOwnerReferences(next.ownerReferences, `${path}.ownerReferences`),
    validateManagedFields(next.managedFields, `${path}.managedFields`),
    rules?.coreFinalizers ? validateStandardFinalizers(next, rules.names, path) : [],
  );
  return errors;
}

function validateStandardFinalizers(meta: ObjectMeta, names: Names, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, each] of (meta.finalizers ?? []).entries()) {
    if (errors.length >= limits.fieldErrorsOfListMax) break;
    append(errors, validateStandardFinalizer(each, `${path}.finalizers[${i}]`, names));
  }
  return errors;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
/** Absent and zero are one for what is no pointer: names and uid are then empty texts, times and seconds `null`. */
function valueOf(meta: ObjectMeta, key: (typeof immutableKeys)[number]): unknown {
  return meta[key] ?? (key === "name" || key === "namespace" || key === "uid" ? "" : null);
}
