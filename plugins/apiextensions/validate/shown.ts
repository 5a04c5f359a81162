/**
 * Writes the values of errors in upstream's internal form, whose JSON has the names of Go fields and all empty fields. Large values are
 * cut, because only people read them.
 */
import type { Json } from "../../../toolbox.ts";
import type { SchemaProps } from "../schema-props.ts";
import type { PrinterColumn, SelectableField, Subresources } from "../schema.ts";
import type { Own } from "./versions.ts";

/** Maximum number of schemas that one error shows. Others are shown as null. */
const shownSchemasMax = 500;

type Rule = NonNullable<SchemaProps["x-kubernetes-validations"]>[number];

/** Returns a rule as the value of its errors. */
export function shownRule({ rule, message = "", messageExpression = "", reason, fieldPath = "", optionalOldSelf }: Rule): Json {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

/** Returns a schema as the value of its errors. */
export function shownSchema(schema: SchemaProps): Json {
  return new Shown().schema(schema);
}
/** Returns the value of `items` as errors show it. */
export function shownItems(items: SchemaProps["items"]): Json {
  return new Shown().items(items);
}

/** Returns versions without the fields that they share. */
export function shownVersions(versions: readonly Own[]): Json {
  const shown = new Shown();
  return versions.map(({ version, validation, subresources, columns, selectableFields }) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: validation === undefined ? null : { OpenAPIV3Schema: shown.optional(validation.openAPIV3Schema) },
    Subresources: shownSubresources(subresources),
    AdditionalPrinterColumns: listOrNull(columns, shownColumn),
    SelectableFields: listOrNull(selectableFields, ({ jsonPath }: SelectableField) => ({ JSONPath: jsonPath })),
  }));
}

function shownSubresources(subresources: Subresources | undefined): Json {
  if (subresources === undefined) return null;
  const { status, scale } = subresources;
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath } = scale ?? {};
  return {
    Status: status === undefined ? null : {},
    Scale: scale === undefined
      ? null
      : { SpecReplicasPath: specReplicasPath, StatusReplicasPath: statusReplicasPath, LabelSelectorPath: labelSelectorPath ?? null },
  };
}
function shownColumn({ name, type, format = "", description = "", priority = 0, jsonPath }: PrinterColumn): Json {
  return { Name: name, Type: type, Format: format, Description: description, Priority: priority, JSONPath: jsonPath };
}

function listOrNull<T>(items: readonly T[] | undefined, show: (item: T) => Json): Json {
  return items === undefined || items.length === 0 ? null : items.map(show);
}

class Shown {
  #left = shownSchemasMax;

  optional(schema: SchemaProps | undefined): Json {
    return schema === undefined ? null : this.schema(schema);
  }
  schema(schema: SchemaProps): Json {
    if (this.#left-- <= 0) return null;
    const own = (each: SchemaProps) => this.schema(each);
    return {
      ID: schema.id ?? "",
      Schema: schema.$schema ?? "",
      Ref: schema.$ref ?? null,
      Description: schema.description ?? "",
      Type: schema.type ?? "",
      Nullable: schema.nullable ?? false,
      Format: schema.format ?? "",
      Title: schema.title ?? "",
      Default: orderMembers(schema.default ?? null),
      ...bounds(schema),
      Items: schema.items === undefined ? null : this.items(schema.items),
      AllOf: listOrNull(schema.allOf, own),
      OneOf: listOrNull(schema.oneOf, own),
      AnyOf: listOrNull(schema.anyOf, own),
      Not: this.optional(schema.not),
      Properties: this.#record(schema.properties, own),
      AdditionalProperties: this.#orBool(schema.additionalProperties),
      PatternProperties: this.#record(schema.patternProperties, own),
      Dependencies: this.#record(schema.dependencies, (each) => this.#orNames(each)),
      AdditionalItems: this.#orBool(schema.additionalItems),
      Definitions: this.#record(schema.definitions, own),
      ...extensions(schema),
    };
  }
  items(items: SchemaProps["items"]): Json {
    const list = isSchemas(items);
    return {
      Schema: list || items === undefined || items === null ? null : this.schema(items),
      JSONSchemas: list ? items.map((each) => this.schema(each)) : null,
    };
  }
  #orBool(value: SchemaProps | boolean | null | undefined): Json {
    if (value === undefined) return null;
    return typeof value === "object" && value !== null
      ? { Allows: true, Schema: this.schema(value) }
      : { Allows: value === true, Schema: null };
  }
  #orNames(value: SchemaProps | readonly string[] | null): Json {
    const names = Array.isArray(value);
    return {
      Schema: names || value === null ? null : this.schema(value as SchemaProps),
      Property: names ? value as readonly string[] : null,
    };
  }
  #record<T>(record: Readonly<Record<string, T>> | undefined, show: (item: T) => Json): Json {
    if (record === undefined) return null;
    const names = Object.keys(record).sort().slice(0, Math.max(0, this.#left));
    return Object.fromEntries(names.map((name) => [name, show(record[name]!)]));
  }
}

/** Returns JSON whose objects have their members in Go's order. Deep values are cut. */
export function orderMembers(value: Json, depth = 0): Json {
  if (typeof value !== "object" || value === null) return value;
  if (depth === shownDepthMax) return null;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => orderMembers(item, depth + 1));
  const object = value as { readonly [key: string]: Json };
  return Object.fromEntries(Object.keys(object).sort().map((key) => [key, orderMembers(object[key]!, depth + 1)]));
}
const shownDepthMax = 100;

function isSchemas(items: SchemaProps["items"]): items is readonly SchemaProps[] {
  return Array.isArray(items);
}

function bounds(schema: SchemaProps) {
  return {
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? "",
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum === undefined ? null : schema.enum.map((each) => orderMembers(each)),
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
  };
}

function extensions(schema: SchemaProps) {
  const { externalDocs } = schema;
  return {
    ExternalDocs: externalDocs === undefined ? null : { Description: externalDocs.description ?? "", URL: externalDocs.url ?? "" },
    Example: orderMembers(schema.example ?? null),
    XPreserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] ?? null,
    XEmbeddedResource: schema["x-kubernetes-embedded-resource"] ?? false,
    XIntOrString: schema["x-kubernetes-int-or-string"] ?? false,
    XListMapKeys: schema["x-kubernetes-list-map-keys"] ?? null,
    XListType: schema["x-kubernetes-list-type"] ?? null,
    XMapType: schema["x-kubernetes-map-type"] ?? null,
    XValidations: listOrNull(schema["x-kubernetes-validations"], shownRule),
  };
}
