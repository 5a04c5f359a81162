/** The type JSONSchemaProps: the schema of custom resources as definitions contain it. */
import type { Json, StructNode, StructuralSchema, Typed, ValidationRule as RuleOfSchema } from "../../toolbox.ts";
import { anyJson, boolean, field, int64, list, mapBy, oneOf, record, string, structsOf } from "../../plugin.ts";
import { double, either, lazy, named } from "../../toolbox.ts";

export const home = "apiextensions/v1";
const struct = structsOf(home);

/**
 * A schema as it is decoded. It differs from a `StructuralSchema` where the rules of structural schemas forbid what can be written. A null
 * in `items`, `additionalProperties` and similar fields stands for JSON that is neither of the two forms.
 */
export interface SchemaProps {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: Json;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number | bigint;
  readonly minLength?: number | bigint;
  readonly pattern?: string;
  readonly maxItems?: number | bigint;
  readonly minItems?: number | bigint;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly Json[];
  readonly maxProperties?: number | bigint;
  readonly minProperties?: number | bigint;
  readonly required?: readonly string[];
  readonly items?: SchemaProps | readonly SchemaProps[] | null;
  readonly allOf?: readonly SchemaProps[];
  readonly oneOf?: readonly SchemaProps[];
  readonly anyOf?: readonly SchemaProps[];
  readonly not?: SchemaProps;
  readonly properties?: Readonly<Record<string, SchemaProps>>;
  readonly additionalProperties?: SchemaProps | boolean | null;
  readonly patternProperties?: Readonly<Record<string, SchemaProps>>;
  readonly dependencies?: Readonly<Record<string, SchemaProps | readonly string[] | null>>;
  readonly additionalItems?: SchemaProps | boolean | null;
  readonly definitions?: Readonly<Record<string, SchemaProps>>;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly example?: Json;
  readonly nullable?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly RuleOfSchema[];
}

/** Returns a schema as a structural schema. The rules of structural schemas must have accepted it. */
export function structural(schema: SchemaProps): StructuralSchema {
  return schema as StructuralSchema; // the rules forbid everything in which the types differ
}

const Self: Typed<SchemaProps> = lazy(() => SchemaProps);

const OrArray = either("JSONSchemaPropsOrArray", { number: 1, node: Self }, { number: 2, node: list(Self) }, {
  package: home,
  doc: "A schema, or a list of schemas. The latter is not allowed in definitions.",
});
const OrBool = either("JSONSchemaPropsOrBool", { number: 2, node: Self }, { number: 1, node: boolean }, {
  package: home,
  doc: "A schema, or whether any value is allowed.",
  refusal: "boolean or JSON schema expected",
});
const OrStringArray = either("JSONSchemaPropsOrStringArray", { number: 1, node: Self }, { number: 2, node: list(string) }, {
  package: home,
  doc: "A schema, or the names of properties.",
});

const ExternalDocumentation = struct("ExternalDocumentation", {
  description: field(1, string, "Description of the documentation."),
  url: field(2, string, "Address of the documentation."),
}, { doc: "A link to documentation." });

/** The values that `reason` of a rule may have. */
export const ruleReasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"] as const;

const ValidationRule = struct("ValidationRule", {
  rule: field(
    1,
    string,
    "The expression in CEL. It must evaluate to true for a valid value, which is `self`; `oldSelf` is the value before.",
    {
      required: true,
    },
  ),
  message: field(2, string, "The message for an invalid value. A rule with line breaks must have one."),
  messageExpression: field(3, string, "An expression in CEL that evaluates to the message. It takes precedence over `message`."),
  reason: field(4, named("v1.FieldValueErrorReason", oneOf(...ruleReasons)), "The reason of the error. Default: FieldValueInvalid.", {
    pointer: true,
  }),
  fieldPath: field(5, string, "The path of the field, below the schema of the rule, that the error names. Default: the value of the rule."),
  optionalOldSelf: field(
    6,
    boolean,
    "True: the rule also applies when there is no value before, and `oldSelf` is an optional value. Only for rules with `oldSelf`.",
    { pointer: true },
  ),
}, { doc: "A rule of validation in CEL." });

const length = (number: number, doc: string) => field(number, int64, doc, { pointer: true });
const bound = (number: number, doc: string) => field(number, double, doc, { pointer: true });

export const SchemaProps: Typed<SchemaProps, StructNode> = struct("JSONSchemaProps", {
  id: field(1, string, "Not allowed."),
  $schema: field(2, named("v1.JSONSchemaURL", string), "The dialect of the schema. Not used.", { goName: "Schema" }),
  $ref: field(3, string, "Not allowed.", { pointer: true, goName: "Ref" }),
  description: field(4, string, "Description of the value."),
  type: field(5, string, "The type of the value: object, array, string, integer, number or boolean."),
  format: field(6, string, "A format of strings or numbers, such as `date-time`. Unknown formats are ignored."),
  title: field(7, string, "Title of the value."),
  default: field(8, anyJson, "The value of an absent field. It must be valid, and contain only fields that the schema specifies.", {
    pointer: true,
  }),
  maximum: bound(9, "Maximum of a number."),
  exclusiveMaximum: field(10, boolean, "The maximum itself is not allowed."),
  minimum: bound(11, "Minimum of a number."),
  exclusiveMinimum: field(12, boolean, "The minimum itself is not allowed."),
  maxLength: length(13, "Maximum length of a string, in characters."),
  minLength: length(14, "Minimum length of a string, in characters."),
  pattern: field(15, string, "A regular expression (RE2) that a string must match."),
  maxItems: length(16, "Maximum number of items."),
  minItems: length(17, "Minimum number of items."),
  uniqueItems: field(18, boolean, "Must not be true."),
  multipleOf: bound(19, "A number must be a multiple of this."),
  enum: field(20, list(anyJson), "The allowed values."),
  maxProperties: length(21, "Maximum number of members of an object."),
  minProperties: length(22, "Minimum number of members of an object."),
  required: field(23, list(string), "The members that an object must have."),
  items: field(24, OrArray, "The schema of items.", { pointer: true }),
  allOf: field(25, list(Self), "The value must match all of these schemas."),
  oneOf: field(26, list(Self), "The value must match exactly one of these schemas."),
  anyOf: field(27, list(Self), "The value must match at least one of these schemas."),
  not: field(28, Self, "The value must not match this schema.", { pointer: true }),
  properties: field(29, record(Self), "The schemas of members of an object, by name."),
  additionalProperties: field(30, OrBool, "The schema of the members of a map, or whether there may be any.", { pointer: true }),
  patternProperties: field(31, record(Self), "Not allowed."),
  dependencies: field(32, named("v1.JSONSchemaDependencies", record(OrStringArray)), "Not allowed.", { keepsEmpty: true }),
  additionalItems: field(33, OrBool, "Not allowed.", { pointer: true }),
  definitions: field(34, named("v1.JSONSchemaDefinitions", record(Self)), "Not allowed."),
  externalDocs: field(35, ExternalDocumentation, "A link to documentation.", { pointer: true }),
  example: field(36, anyJson, "An example of a value.", { pointer: true }),
  nullable: field(37, boolean, "Null is a valid value. Without it, null is removed before defaults are applied."),
  "x-kubernetes-preserve-unknown-fields": field(
    38,
    boolean,
    "Keeps fields that the schema does not specify. Must be true or absent. It does not apply to specified fields of specified objects.",
    { pointer: true, goName: "XPreserveUnknownFields" },
  ),
  "x-kubernetes-embedded-resource": field(
    39,
    boolean,
    "The object is a resource with kind, apiVersion and metadata, which are validated as such.",
    { goName: "XEmbeddedResource" },
  ),
  "x-kubernetes-int-or-string": field(
    40,
    boolean,
    "The value is an integer or a string. `type` must be absent, or the types must be in `anyOf`.",
    { goName: "XIntOrString" },
  ),
  "x-kubernetes-list-map-keys": field(
    41,
    list(string),
    "The members that identify an item of a list with the type map. They must be scalars, and required or with a default.",
    { goName: "XListMapKeys" },
  ),
  "x-kubernetes-list-type": field(
    42,
    string,
    "How lists are merged by server-side apply: atomic (one value, the default), set (unique scalars) or map (objects with keys).",
    { pointer: true, goName: "XListType" },
  ),
  "x-kubernetes-map-type": field(
    43,
    string,
    "How objects are merged by server-side apply: granular (member by member, the default) or atomic (one value).",
    { pointer: true, goName: "XMapType" },
  ),
  "x-kubernetes-validations": field(44, named("v1.ValidationRules", mapBy(["rule"], ValidationRule)), "Rules of validation in CEL.", {
    goName: "XValidations",
    patch: { strategy: ["merge"], mergeKey: "rule" },
  }),
}, { doc: "A JSON schema. The schema of a custom resource must be structural: a type for each value, outside of conditions." });
