/**
 * Structural schemas: the schemas of custom resources, in the form of a definition (`openAPIV3Schema`). There is no second form. The
 * validation of CustomResourceDefinition has already checked the rules of structural schemas: a type on each node, no structure in
 * conditions.
 */
import type { Json } from "./json.ts";

/** One rule in CEL (`x-kubernetes-validations`). */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Validation of values without structure: what `allOf`, `anyOf`, `oneOf` and `not` contain, too. */
export interface ValueSchema {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly Json[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly nullable?: boolean;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly externalDocs?: Json;
  readonly example?: Json;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A node of a structural schema. */
export interface StructuralSchema extends ValueSchema {
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
}

/**
 * The schema of members that are not in `properties`; undefined if they are pruned. `true` has no structure upstream: members of such
 * values are pruned.
 */
export function otherMembers({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  if (additionalProperties === undefined || additionalProperties === false) return undefined;
  return additionalProperties === true ? anything : additionalProperties;
}
const anything: StructuralSchema = Object.freeze({});

/** The schema of one member of an object. */
export function memberSchema(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : otherMembers(schema);
}
