/**
 * Structural schemas: the schemas of custom resources, in the form of a definition (`openAPIV3Schema`). There is no second form. The
 * validation of CustomResourceDefinition has already checked the rules of structural schemas: a type on each node, no structure in
 * conditions.
 */
import type { Json } from "./json.ts";

/** One rule in CEL (`x-kubernetes-validations`). */
export interface ValidationRule {
  /** The CEL expression, which must be true for a valid value. `self` is the value, `oldSelf` the stored one. */
  readonly rule: string;
  /** The message of the error. Default: `failed rule: <rule>`. */
  readonly message?: string;
  /** A CEL expression with the message. It takes precedence over `message`, which is used if it fails. */
  readonly messageExpression?: string;
  /**
   * The type of the error: `FieldValueInvalid`, `FieldValueForbidden`, `FieldValueRequired` or `FieldValueDuplicate`. Default:
   * `FieldValueInvalid`.
   */
  readonly reason?: string;
  /** The field of the error, relative to the value, such as `.spec.size`. Default: the value itself. */
  readonly fieldPath?: string;
  /** The rule also runs without a stored value; `oldSelf` is then an optional value. Default: false. */
  readonly optionalOldSelf?: boolean;
}

/** Validation of values without structure: what `allOf`, `anyOf`, `oneOf` and `not` contain, too. */
export interface ValueSchema {
  /** `object`, `array`, `string`, `integer`, `number` or `boolean`. Absent: any type, with one of the extensions that allow it. */
  readonly type?: string;
  /** The format of a string or number, such as `date-time` or `int32`. Unknown formats are ignored. */
  readonly format?: string;
  /** A short description. It has no effect. */
  readonly title?: string;
  /** The description in OpenAPI documents and `kubectl explain`. */
  readonly description?: string;
  /** The value that the server sets where the member is absent. */
  readonly default?: Json;
  /** The greatest number that is valid. */
  readonly maximum?: number;
  /** `maximum` itself is not valid. Default: false. */
  readonly exclusiveMaximum?: boolean;
  /** The least number that is valid. */
  readonly minimum?: number;
  /** `minimum` itself is not valid. Default: false. */
  readonly exclusiveMinimum?: boolean;
  /** The greatest length of a string, in Unicode code points. */
  readonly maxLength?: number;
  /** The least length of a string, in Unicode code points. */
  readonly minLength?: number;
  /** A regular expression (RE2) that must match some part of the string. */
  readonly pattern?: string;
  /** The greatest number of items of an array. */
  readonly maxItems?: number;
  /** The least number of items of an array. */
  readonly minItems?: number;
  /** Must not be true: `x-kubernetes-list-type: set` does the same. */
  readonly uniqueItems?: boolean;
  /** The number must be a multiple of this one. */
  readonly multipleOf?: number;
  /** The valid values. */
  readonly enum?: readonly Json[];
  /** The greatest number of members of an object. */
  readonly maxProperties?: number;
  /** The least number of members of an object. */
  readonly minProperties?: number;
  /** Members that an object must have, after defaults are set. */
  readonly required?: readonly string[];
  /** Whether null is a value. Default: false; null is then replaced by `default`, and invalid without one. */
  readonly nullable?: boolean;
  /** The value must match all of these schemas. */
  readonly allOf?: readonly StructuralSchema[];
  /** The value must match at least one of these schemas. */
  readonly anyOf?: readonly StructuralSchema[];
  /** The value must match exactly one of these schemas. */
  readonly oneOf?: readonly StructuralSchema[];
  /** The value must not match this schema. */
  readonly not?: StructuralSchema;
  /** A link to further documentation. It has no effect. */
  readonly externalDocs?: Json;
  /** An example. It has no effect. */
  readonly example?: Json;
  /** Rules in CEL for the value. */
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A node of a structural schema. */
export interface StructuralSchema extends ValueSchema {
  /** The schemas of the members by their names. Other members are dropped (pruned), unless a member below keeps them. */
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  /** The schema of all members of a map. It excludes `properties`. */
  readonly additionalProperties?: StructuralSchema | boolean;
  /** The schema of the items of an array. */
  readonly items?: StructuralSchema;
  /** Members without a schema are kept. Default: false. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** The value is an object of the API with apiVersion, kind and metadata. Default: false. */
  readonly "x-kubernetes-embedded-resource"?: boolean;
  /** The value is an integer or a string. Default: false. */
  readonly "x-kubernetes-int-or-string"?: boolean;
  /** How server-side apply merges an array: as one value, as a set, or by keys. Default: `atomic`. */
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  /** The members that identify the items of an array of type `map`. */
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** Whether server-side apply owns the object as one value (`atomic`) or by member. Default: `granular`. */
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
}

/**
 * Returns the schema of members that are not in `properties`; undefined if they are pruned. `true` has no structure upstream: members of
 * such values are pruned.
 */
export function otherMembers({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  if (additionalProperties === undefined || additionalProperties === false) return undefined;
  return additionalProperties === true ? anything : additionalProperties;
}
const anything: StructuralSchema = Object.freeze({});

/** Returns the schema of one member of an object. */
export function memberSchema(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : otherMembers(schema);
}
