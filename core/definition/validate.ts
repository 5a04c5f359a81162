/** Validation of custom resources by the schema of one version, in upstream's order. */
import type { Json } from "../json.ts";
import { blocksRules, notChecked } from "../custom/blocking.ts";
import { embeddedErrors } from "../custom/embedded.ts";
import { listTypeErrors } from "../custom/list-types.ts";
import { areCut } from "../custom/result.ts";
import { validateValue } from "../custom/validate.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { FieldError } from "../field-error.ts";
import { validateObjectMetaUpdate } from "../meta/validate-object-meta.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import type { Version } from "./definition.ts";
import { schemaOfVersion } from "./root-schema.ts";
import { specReplicasErrors, statusReplicasErrors } from "./scale-rules.ts";

/** Validates objects of one version. Errors of metadata are the kernel's. */
export interface CustomValidator {
  create(next: ApiObject): readonly FieldError[];
  update(next: ApiObject, prior: ApiObject): readonly FieldError[];
  updateStatus(next: ApiObject, prior: ApiObject): readonly FieldError[];
  /** Rules that unchanged values of a stored object violate. */
  warnings(next: ApiObject): readonly string[];
}

/** Evaluates the rules of one schema for an object. `prior`: the object before an update. Warnings are errors of values that have not changed. */
export type EvaluateRules = (
  next: Json,
  prior: Json | undefined,
) => { readonly errors: readonly FieldError[]; readonly warnings: readonly string[] };

/** The rules of a schema, in the language of `cel/`; undefined if it has none. */
export type RulesOfSchema = (schema: StructuralSchema) => EvaluateRules | undefined;

/** The validator of a version. `apiVersion`: that of its objects. */
export function validatorOf(version: Version, apiVersion: string, rulesOf: RulesOfSchema): CustomValidator {
  const schema = schemaOfVersion(version), statusSchema = schema.properties?.["status"];
  const scale = version.subresources?.scale ?? undefined;
  // Objects are in the stored version, whose contents are the same.
  const shown = (object: ApiObject) => ({ ...object, apiVersion }) as unknown as Json & ApiObject;

  function listErrors(next: Json, prior: Json): readonly FieldError[] {
    const errors = listTypeErrors(next, schema);
    return errors.length > 0 && listTypeErrors(prior, schema).length === 0 ? errors : [];
  }
  const rules = rulesOf(schema);
  const warned = new WeakMap<ApiObject, readonly string[]>();
  /** Adds the errors of the rules in CEL. */
  function withRules(errors: readonly FieldError[], object: ApiObject, next: Json, prior?: Json): readonly FieldError[] {
    if (rules === undefined) return errors;
    if (blocksRules(errors) || areCut(errors)) return [...errors, notChecked];
    const found = rules(next, prior);
    if (found.warnings.length > 0) warned.set(object, found.warnings);
    return [...errors, ...found.errors];
  }
  return {
    create(object) {
      const next = shown(object);
      return withRules(
        [
          ...validateValue(next, schema),
          ...specReplicasErrors(next, scale),
          ...statusReplicasErrors(next, scale),
          ...embeddedErrors(next, schema),
          ...listTypeErrors(next, schema),
        ],
        object,
        next,
      );
    },
    update(object, stored) {
      const next = shown(object), prior = shown(stored);
      return withRules(
        [
          // The kernel reports them, too: upstream's causes name them twice.
          ...validateObjectMetaUpdate(next.metadata, prior.metadata),
          ...validateValue(next, schema, { old: prior }),
          ...specReplicasErrors(next, scale),
          ...statusReplicasErrors(next, scale),
          ...embeddedErrors(next, schema),
          ...listErrors(next, prior),
        ],
        object,
        next,
        prior,
      );
    },
    updateStatus(object, stored) {
      const next = shown(object), prior = shown(stored);
      const { status } = next as { readonly status?: Json }, { status: old } = prior as { readonly status?: Json };
      return withRules(
        [
          ...validateObjectMetaUpdate(next.metadata, prior.metadata),
          ...(status === undefined || statusSchema === undefined
            ? []
            : validateValue(status, statusSchema, { path: "status", shownPath: "", old })),
          ...statusReplicasErrors(next, scale),
          ...listErrors(next, prior),
        ],
        object,
        next,
        prior,
      );
    },
    warnings: (object) => warned.get(object) ?? [],
  };
}
