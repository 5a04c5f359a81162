/** Validates a definition, in upstream's order. */
import { type FieldError, type HookContext, invalid } from "../../../plugin.ts";
import { append, type MetaRules, subdomainName, validateObjectMeta, validateObjectMetaUpdate } from "../../../toolbox.ts";
import type { CustomResourceDefinition, DefinitionStatus, Spec } from "../schema.ts";
import { validateApproval } from "./approval.ts";
import { validateNames } from "./names.ts";
import { optionsOfCreate, optionsOfUpdate } from "./options.ts";
import { validateSpec } from "./spec.ts";

/** Returns the errors of a new definition. */
export function validateDefinition(next: CustomResourceDefinition, context: HookContext): readonly FieldError[] {
  const { names } = context;
  const required = `${next.spec.names.plural}.${next.spec.group}`;
  const rules: MetaRules = {
    namespaced: false,
    nameRule: (name, prefix) => [
      ...subdomainName(name, prefix),
      ...(name === required ? [] : [`must be spec.names.plural+"."+spec.group`]),
    ],
    coreFinalizers: false,
    names,
  };
  const errors: FieldError[] = [];
  append(errors, validateObjectMeta(next.metadata, rules), validateSpec(next.spec, optionsOfCreate(context)), validateStatus(next));
  append(errors, validateApproval(next, undefined, names), validateKeepsUnknown(next.spec, undefined));
  return errors;
}

/** Returns the errors of a change of a definition. */
export function validateDefinitionUpdate(
  next: CustomResourceDefinition,
  prior: CustomResourceDefinition,
  context: HookContext,
): readonly FieldError[] {
  const options = optionsOfUpdate(next, prior, context);
  const errors: FieldError[] = [];
  append(errors, validateObjectMetaUpdate(next.metadata, prior.metadata), validateSpec(next.spec, options));
  append(errors, validateImmutable(next.spec, prior.spec, options.requireImmutableNames), validateStatus(next));
  append(errors, validateApproval(next, prior, context.names), validateKeepsUnknown(next.spec, prior.spec));
  return errors;
}

/** Returns the errors of a change of the status. */
export function validateStatusUpdate(next: CustomResourceDefinition, prior: CustomResourceDefinition): readonly FieldError[] {
  return [...validateObjectMetaUpdate(next.metadata, prior.metadata), ...validateAcceptedNames(next.status)];
}

/** Checks that group and plural never change, and that scope and kind do not change once the definition is established. */
function validateImmutable(next: Spec, prior: Spec, established: boolean): readonly FieldError[] {
  const compared: readonly (readonly [path: string, next: string, prior: string])[] = [
    ...(established ? [["spec.scope", next.scope, prior.scope], ["spec.names.kind", next.names.kind, prior.names.kind]] as const : []),
    ["spec.group", next.group, prior.group],
    ["spec.names.plural", next.names.plural, prior.names.plural],
  ];
  return compared.filter(([, now, before]) => now !== before).map(([path, now]) => invalid(path, now, "field is immutable"));
}

function validateStatus({ spec, status }: CustomResourceDefinition): readonly FieldError[] {
  return [...validateAcceptedNames(status), ...validateStoredVersions(status.storedVersions ?? [], spec)];
}
function validateAcceptedNames({ acceptedNames }: DefinitionStatus): readonly FieldError[] {
  return acceptedNames === undefined ? [] : validateNames(acceptedNames, "status.acceptedNames");
}

function validateStoredVersions(stored: readonly string[], { versions }: Spec): readonly FieldError[] {
  const path = "status.storedVersions";
  if (stored.length === 0) return [invalid(path, null, "must have at least one stored version")];
  const places = new Map(stored.map((name, i) => [name, i]));
  const errors: FieldError[] = [];
  for (const { storage, name } of versions) {
    if (!places.delete(name) && storage) errors.push(invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [name, i] of places) {
    const rule = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage ` +
      `migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(`${path}[${i}]`, name, rule));
  }
  return errors;
}

function validateKeepsUnknown(next: Spec, prior: Spec | undefined): readonly FieldError[] {
  if (prior?.preserveUnknownFields === true || next.preserveUnknownFields !== true) return [];
  const rule = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalid("spec.preserveUnknownFields", true, rule)];
}
