/** The rules of a definition, in upstream's order. */
import {
  append,
  type FieldError,
  type HookContext,
  type MetaRules,
  subdomainName,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../../plugin.ts";
import type { CustomResourceDefinition } from "../schema.ts";

/** The errors of a new definition. */
export function validateDefinition(next: CustomResourceDefinition, { names }: HookContext): readonly FieldError[] {
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
  append(errors, validateObjectMeta(next.metadata, rules));
  return errors;
}

/** The errors of a change of a definition. */
export function validateDefinitionUpdate(
  next: CustomResourceDefinition,
  prior: CustomResourceDefinition,
  _context: HookContext,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  append(errors, validateObjectMetaUpdate(next.metadata, prior.metadata));
  return errors;
}

/** The errors of a change of the status. */
export function validateStatusUpdate(next: CustomResourceDefinition, prior: CustomResourceDefinition): readonly FieldError[] {
  return validateObjectMetaUpdate(next.metadata, prior.metadata);
}
