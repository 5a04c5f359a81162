/** Validation of custom resources by the schema of one version, in upstream's order. */
import type { Json } from "../../../core/json.ts";
import { embeddedErrors } from "../../../core/custom/embedded.ts";
import { listTypeErrors } from "../../../core/custom/list-types.ts";
import { validateValue } from "../../../core/custom/validate.ts";
import type { StructuralSchema } from "../../../core/structural-schema.ts";
import { type ApiObject, type FieldError, type FieldErrorType, invalid, validateObjectMetaUpdate } from "../../../plugin.ts";
import type { Version } from "../schema.ts";
import { schemaOfVersion } from "./root-schema.ts";
import { specReplicasErrors, statusReplicasErrors } from "./scale-rules.ts";

/** The rules of objects of one version. Errors of metadata are the kernel's. */
export interface CustomValidator {
  create(next: ApiObject): readonly FieldError[];
  update(next: ApiObject, prior: ApiObject): readonly FieldError[];
  updateStatus(next: ApiObject, prior: ApiObject): readonly FieldError[];
}

/** Errors after which rules in CEL are not run: a value has not the type or the size that they rely on. */
const blocking: ReadonlySet<FieldErrorType> = new Set(["NotSupported", "Required", "TooLong", "TooMany", "TypeInvalid"]);

/** The rules of a version. `apiVersion`: that of its objects. */
export function validatorOf(version: Version, apiVersion: string): CustomValidator {
  const schema = schemaOfVersion(version), statusSchema = schema.properties?.["status"];
  const scale = version.subresources?.scale ?? undefined;
  // Objects come in the stored version, whose contents are the same.
  const shown = (object: ApiObject) => ({ ...object, apiVersion }) as unknown as Json & ApiObject;

  function listErrors(next: Json, prior: Json): readonly FieldError[] {
    const errors = listTypeErrors(next, schema);
    return errors.length > 0 && listTypeErrors(prior, schema).length === 0 ? errors : [];
  }
  const hasRules = containsRules(schema);
  function withRules(errors: readonly FieldError[]): readonly FieldError[] {
    if (!hasRules) return errors;
    if (errors.some(({ type }) => blocking.has(type))) return [...errors, notChecked];
    return errors;
  }
  return {
    create(object) {
      const next = shown(object);
      return withRules([
        ...validateValue(next, schema),
        ...specReplicasErrors(next, scale),
        ...statusReplicasErrors(next, scale),
        ...embeddedErrors(next, schema),
        ...listTypeErrors(next, schema),
      ]);
    },
    update(object, stored) {
      const next = shown(object), prior = shown(stored);
      return withRules([
        // The kernel reports them, too: upstream's causes name them twice.
        ...validateObjectMetaUpdate(next.metadata, prior.metadata),
        ...validateValue(next, schema, { old: prior }),
        ...specReplicasErrors(next, scale),
        ...statusReplicasErrors(next, scale),
        ...embeddedErrors(next, schema),
        ...listErrors(next, prior),
      ]);
    },
    updateStatus(object, stored) {
      const next = shown(object), prior = shown(stored);
      const { status } = next as { readonly status?: Json }, { status: old } = prior as { readonly status?: Json };
      return withRules([
        ...validateObjectMetaUpdate(next.metadata, prior.metadata),
        ...(status === undefined || statusSchema === undefined
          ? []
          : validateValue(status, statusSchema, { path: "status", shownPath: "", old })),
        ...statusReplicasErrors(next, scale),
        ...listErrors(next, prior),
      ]);
    },
  };
}

/** Whether the schema, or one inside it, has rules in CEL. */
function containsRules(schema: StructuralSchema): boolean {
  const { properties = {}, additionalProperties, items } = schema;
  return (schema["x-kubernetes-validations"] ?? []).length > 0 || Object.values(properties).some(containsRules) ||
    (typeof additionalProperties === "object" && containsRules(additionalProperties)) || (items !== undefined && containsRules(items));
}

const notChecked: FieldError = invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);
