/** Validates the spec of a definition, in upstream's order. */
import { type FieldError, invalid, required } from "../../../plugin.ts";
import { append, dns1035Label, dns1123Subdomain } from "../../../toolbox.ts";
import type { Spec, Version } from "../schema.ts";
import type { SchemaProps } from "../schema-props.ts";
import { specHas } from "../schema-walk.ts";
import { validateColumns } from "./columns.ts";
import { validateChoice, validateConversion } from "./conversion.ts";
import { Convertible } from "./convertible.ts";
import { validateDeprecation } from "./deprecation.ts";
import { validateNames } from "./names.ts";
import type { ValidationOptions } from "./options.ts";
import { validateValidation } from "./root.ts";
import { validateSelectableFields } from "./selectable-fields.ts";
import { shownVersions } from "./shown.ts";
import { validateSubresources } from "./subresources.ts";
import { type Own, type Parted, splitVersions } from "./versions.ts";

export function validateSpec(spec: Spec, given: ValidationOptions): readonly FieldError[] {
  const parts = splitVersions(spec);
  const { preserveUnknownFields: keepsUnknown = false } = spec;
  const hasDefaults = specHas(spec, (schema) => schema.default !== undefined);
  const options: ValidationOptions = {
    ...given,
    requireStructural: given.requireStructural || !keepsUnknown || hasDefaults || specHas(spec, hasExtensions),
  };
  const errors: FieldError[] = [];
  append(errors, validateGroup(spec.group), validateChoice(spec.scope, ["Cluster", "Namespaced"], "spec.scope"));
  append(errors, validatePresence(parts, options.requireSchemas, keepsUnknown));
  if (hasDefaults && keepsUnknown) {
    errors.push(invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"));
  }
  append(errors, ...parts.versions.map((own, i) => validateVersion(own, i, options)));
  append(errors, validateVersions(parts, spec), validateRequiredNames(spec), validateNames(spec.names, "spec.names"));
  append(errors, validateShared(parts, options));
  if (spec.conversion !== undefined && spec.conversion.strategy !== "None" && keepsUnknown) {
    errors.push(invalid("spec.conversion.strategy", spec.conversion.strategy, "must be None if spec.preserveUnknownFields is true"));
  }
  append(
    errors,
    validateConversion(spec.conversion, "spec.conversion", {
      requireRecognizedVersion: options.requireRecognizedReviewVersion,
      allowInvalidCaBundle: options.allowInvalidCaBundle,
    }),
  );
  return errors;
}

function hasExtensions(schema: SchemaProps): boolean {
  return schema["x-kubernetes-embedded-resource"] === true || schema["x-kubernetes-preserve-unknown-fields"] !== undefined ||
    schema["x-kubernetes-int-or-string"] === true || (schema["x-kubernetes-list-map-keys"] ?? []).length > 0 ||
    schema["x-kubernetes-list-type"] !== undefined || (schema["x-kubernetes-validations"] ?? []).length > 0;
}

function validateGroup(group: string): readonly FieldError[] {
  if (group === "") return [required("spec.group", "")];
  const wrong = dns1123Subdomain(group);
  if (wrong.length > 0) return [invalid("spec.group", group, wrong.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

/**
 * Checks that each version has a schema. If the stored definition has a version without one, only versions that are served and pruned need
 * one.
 */
function validatePresence({ shared, versions }: Parted, requireSchemas: boolean, keepsUnknown: boolean): readonly FieldError[] {
  if (shared.validation?.openAPIV3Schema !== undefined || (!requireSchemas && keepsUnknown)) return [];
  return versions.flatMap(({ validation, version }, i) => {
    if (validation?.openAPIV3Schema !== undefined || (!requireSchemas && !version.served)) return [];
    return [required(`spec.versions[${i}].schema.openAPIV3Schema`, requireSchemas ? "" : "because otherwise all fields are pruned")];
  });
}

function hasStatus({ subresources }: Pick<Version, "subresources">): boolean {
  return subresources?.status !== undefined;
}

function validateVersion(own: Own, i: number, options: ValidationOptions): readonly FieldError[] {
  const { version, validation, subresources, columns, selectableFields } = own, { name } = version;
  const path = `spec.versions[${i}]`, wrong = dns1035Label(name);
  const statusEnabled = hasStatus(version);
  return [
    ...(wrong.length === 0 ? [] : [invalid(`${path}.name`, name, wrong.join(","))]),
    ...validateDeprecation(version, path),
    ...validateValidation(validation, `${path}.schema`, { ...options, statusEnabled, version: name }),
    ...validateSubresources(subresources, `${path}.subresources`),
    ...validateColumns(columns, `${path}.additionalPrinterColumns`),
    ...validateFields(
      { fields: selectableFields, root: validation?.openAPIV3Schema, path, schemaPath: `${path}.schema.openAPIV3Schema` },
      options.tooManySelectableFields.has(name),
      validation?.openAPIV3Schema === undefined ? "may only be set when `version.schema.openAPIV3Schema` is not included" : undefined,
    ),
  ];
}

interface Fields {
  readonly fields: Own["selectableFields"];
  readonly root: SchemaProps | undefined;
  readonly path: string;
  readonly schemaPath: string;
}
/** Validates the fields of a version. `without` is the error of a missing schema. */
function validateFields(
  { fields, root, path, schemaPath }: Fields,
  allowsTooMany: boolean,
  without: string | undefined,
): readonly FieldError[] {
  const at = `${path}.selectableFields`;
  if (fields.length === 0) return [];
  if (without !== undefined) return [invalid(at, "", without)];
  const mistake = root === undefined ? undefined : new Convertible().mistake(root);
  return [
    ...(mistake === undefined ? [] : [invalid(schemaPath, "", mistake)]),
    ...validateSelectableFields(fields, mistake === undefined ? root : undefined, at, allowsTooMany),
  ];
}

function validateVersions({ version, versions }: Parted, spec: Spec): readonly FieldError[] {
  // For an absent list, decoders return their frozen zero value.
  const shown = versions.length === 0 ? (Object.isFrozen(spec.versions) ? null : []) : shownVersions(versions);
  const errors: FieldError[] = [], names = versions.map((own) => own.version.name);
  if (new Set(names).size < names.length) {
    errors.push(invalid("spec.versions", shown, "must contain unique version names"));
  }
  if (versions.filter((own) => own.version.storage).length !== 1) {
    errors.push(invalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  }
  const wrong = version === "" ? [] : dns1035Label(version);
  if (wrong.length > 0) errors.push(invalid("spec.version", version, wrong.join(",")));
  return errors;
}

function validateRequiredNames({ names }: Spec): readonly FieldError[] {
  const keys = ["plural", "singular", "kind", "listKind"] as const;
  return keys.filter((key) => (names[key] ?? "") === "").map((key) => required(`spec.names.${key}`, ""));
}

/** Validates the part that all versions share. */
function validateShared({ version, versions, shared }: Parted, options: ValidationOptions): readonly FieldError[] {
  const { validation, subresources, columns, selectableFields } = shared;
  const statusEnabled = versions.some((own) => hasStatus(own.version));
  return [
    ...validateValidation(validation, "spec.validation", { ...options, statusEnabled, version }),
    ...validateSubresources(subresources, "spec.subresources"),
    ...validateColumns(columns, "spec.additionalPrinterColumns"),
    ...validateFields(
      { fields: selectableFields, root: validation?.openAPIV3Schema, path: "spec", schemaPath: "spec.schema.openAPIV3Schema" },
      options.tooManySelectableFields.has(""),
      validation === undefined ? "may only be set when validations.schema is included" : undefined,
    ),
  ];
}
