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
import { type Scale, specReplicasErrors, statusReplicasErrors } from "./scale-rules.ts";

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

/** Returns the validator of a version. `apiVersion`: that of its objects. */
export function validatorOf(version: Version, apiVersion: string, rulesOf: RulesOfSchema): CustomValidator {
  return new SchemaValidator(version, apiVersion, rulesOf);
}

class SchemaValidator implements CustomValidator {
  readonly #apiVersion: string;
  readonly #schema: StructuralSchema;
  readonly #scale: Scale | undefined;
  readonly #rules: EvaluateRules | undefined;
  readonly #warned = new WeakMap<ApiObject, readonly string[]>();

  constructor(version: Version, apiVersion: string, rulesOf: RulesOfSchema) {
    this.#apiVersion = apiVersion;
    this.#schema = schemaOfVersion(version);
    this.#scale = version.subresources?.scale ?? undefined;
    this.#rules = rulesOf(this.#schema);
  }

  create(object: ApiObject): readonly FieldError[] {
    const next = this.#shown(object);
    return this.#withRules([...this.#valueErrors(next), ...listTypeErrors(next, this.#schema)], object, next);
  }

  update(object: ApiObject, stored: ApiObject): readonly FieldError[] {
    const next = this.#shown(object), prior = this.#shown(stored);
    const errors = [
      // The kernel reports them, too: upstream's causes name them twice.
      ...validateObjectMetaUpdate(next.metadata, prior.metadata),
      ...this.#valueErrors(next, prior),
      ...this.#newListErrors(next, prior),
    ];
    return this.#withRules(errors, object, next, prior);
  }

  updateStatus(object: ApiObject, stored: ApiObject): readonly FieldError[] {
    const next = this.#shown(object), prior = this.#shown(stored);
    const { status } = next as { readonly status?: Json }, { status: old } = prior as { readonly status?: Json };
    const statusSchema = this.#schema.properties?.["status"];
    const errors = [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata),
      ...(status === undefined || statusSchema === undefined
        ? []
        : validateValue(status, statusSchema, { path: "status", shownPath: "", old })),
      ...statusReplicasErrors(next, this.#scale),
      ...this.#newListErrors(next, prior),
    ];
    return this.#withRules(errors, object, next, prior);
  }

  warnings(object: ApiObject): readonly string[] {
    return this.#warned.get(object) ?? [];
  }

  /** The object in this version. Objects are in the stored version, whose contents are the same. */
  #shown(object: ApiObject): Json & ApiObject {
    return { ...object, apiVersion: this.#apiVersion } as unknown as Json & ApiObject;
  }

  /** The errors of the values themselves, in the order of creations and updates. */
  #valueErrors(next: Json & ApiObject, old?: Json): readonly FieldError[] {
    const schema = this.#schema, scale = this.#scale;
    return [
      ...validateValue(next, schema, { old }),
      ...specReplicasErrors(next, scale),
      ...statusReplicasErrors(next, scale),
      ...embeddedErrors(next, schema),
    ];
  }

  /** The errors of lists, unless the lists of the object before the update have errors, too. */
  #newListErrors(next: Json, prior: Json): readonly FieldError[] {
    const errors = listTypeErrors(next, this.#schema);
    return errors.length > 0 && listTypeErrors(prior, this.#schema).length === 0 ? errors : [];
  }

  /** Adds the errors of the rules in CEL, and remembers their warnings. */
  #withRules(errors: readonly FieldError[], object: ApiObject, next: Json, prior?: Json): readonly FieldError[] {
    if (this.#rules === undefined) return errors;
    if (blocksRules(errors) || areCut(errors)) return [...errors, notChecked];
    const found = this.#rules(next, prior);
    if (found.warnings.length > 0) this.#warned.set(object, found.warnings);
    return [...errors, ...found.errors];
  }
}
