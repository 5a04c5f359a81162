/**
 * Validates metadata, with upstream's order and messages. The kernel calls it before the rules of a resource. A resource whose upstream
 * counterpart repeats these checks calls it again, so that the causes of a rejection are repeated too:
 *
 *     create   kernel: validateObjectMeta with the kind's rules            then resource.create
 *     update   kernel: validateObjectMeta with `storedNameRules`,
 *                      validateObjectMetaUpdate                            then resource.update (or the subresource's)
 *
 * After a creation without errors the kernel also validates with `storedNameRules`, for kinds without a name rule.
 */
import { append } from "../append.ts";
import { type FieldError, forbidden, invalid, required } from "../field-error.ts";
import { defaultNames, type Names } from "../names.ts";
import { validateManagedFields } from "./field-manager.ts";
import { validateFinalizers, validateNoNewFinalizers, validateStandardFinalizer } from "./finalizers.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { labelName, type NameRule, pathSegmentName, subdomainName } from "./names.ts";
import type { ObjectMeta } from "./object-meta.ts";
import { validateOwnerReferences } from "./owner-references.ts";
import { fieldErrorsOfListMax } from "./bounds.ts";

/** The rules of metadata that depend on the kind. */
export interface MetaRules {
  /** Whether `metadata.namespace` is required; if not, it is forbidden. */
  readonly namespaced: boolean;
  /** The rule of `metadata.name` and of the prefix `metadata.generateName`. */
  readonly nameRule: NameRule;
  /** Whether a finalizer without a slash must be a standard one. */
  readonly coreFinalizers: boolean;
  /** The names that standard finalizers and messages contain. */
  readonly names: Names;
}

/** The properties of a resource that its metadata rules depend on. */
export interface Scoped {
  /** Whether objects have a namespace. */
  readonly scope: "Cluster" | "Namespaced";
  /** The two members of the strategy that concern metadata. Their defaults: `subdomainName` and false. */
  readonly strategy?: { readonly nameRule?: NameRule; readonly coreFinalizers?: boolean };
}

/** Returns the metadata rules of a resource, from its scope and strategy. */
export function metaRulesOf(resource: Scoped, names: Names): MetaRules {
  return {
    namespaced: resource.scope === "Namespaced",
    nameRule: resource.strategy?.nameRule ?? subdomainName,
    coreFinalizers: resource.strategy?.coreFinalizers ?? false,
    names,
  };
}

/** Returns the rules for stored objects: the name must only be a valid path segment. */
export function storedNameRules(scope: Scoped["scope"]): MetaRules {
  return { namespaced: scope === "Namespaced", nameRule: pathSegmentName, coreFinalizers: false, names: defaultNames };
}

/** Validates the metadata of an object. */
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
 * Validates an update of metadata: immutable fields, generation and finalizers. `rules` adds the check of standard finalizers, as for
 * kinds of the platform. Does not check resourceVersion, which the store compares.
 */
export function validateObjectMetaUpdate(next: ObjectMeta, prior: ObjectMeta, path = "metadata", rules?: MetaRules): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isSet(prior.deletionTimestamp)) append(errors, validateNoNewFinalizers(next.finalizers, prior.finalizers, `${path}.finalizers`));
  if ((next.generation ?? 0) < (prior.generation ?? 0)) {
    errors.push(invalid(`${path}.generation`, next.generation ?? 0, "must not be decremented"));
  }
  for (const key of immutableKeys) {
    const now = valueOf(next, key), before = valueOf(prior, key);
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
    if (errors.length >= fieldErrorsOfListMax) break;
    append(errors, validateStandardFinalizer(each, `${path}.finalizers[${i}]`, names));
  }
  return errors;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
/** Returns the value of a field; if it is absent, its zero value: "" for names and uid, `null` for times and seconds. */
function valueOf(meta: ObjectMeta, key: (typeof immutableKeys)[number]): unknown {
  return meta[key] ?? (key === "name" || key === "namespace" || key === "uid" ? "" : null);
}
