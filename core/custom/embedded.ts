/** Kind, version and metadata of embedded resources (upstream: apiextensions-apiserver `schema/objectmeta`). */
import { append } from "../append.ts";
import { decodeStored } from "../derive/decode.ts";
import { type FieldError, invalid, required } from "../field-error.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { dns1035Label } from "../meta/names.ts";
import { ObjectMeta } from "../meta/object-meta.ts";
import { storedNameRules, validateObjectMeta } from "../meta/validate-object-meta.ts";
import { otherMembers, type StructuralSchema } from "../structural-schema.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { treeFromJson } from "../tree/values.ts";

/** Returns the errors of all embedded resources in a value. */
export function embeddedErrors(value: Json, schema: StructuralSchema, path = ""): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, path, errors);
  return errors;
}

function visit(value: Json, schema: StructuralSchema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) (value as readonly Json[]).forEach((item, index) => visit(item, items, `${path}[${index}]`, errors));
    return;
  }
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) append(errors, resourceErrors(value, path));
  const { properties = {} } = schema, others = otherMembers(schema);
  for (const key of sortedKeys(value)) {
    const own = Object.hasOwn(properties, key), inner = own ? properties[key] : others;
    if (inner !== undefined) visit(value[key]!, inner, own ? (path === "" ? key : `${path}.${key}`) : `${path}[${key}]`, errors);
  }
}

function resourceErrors(object: JsonObject, path: string): readonly FieldError[] {
  const { apiVersion, kind, metadata } = object;
  return [
    ...(apiVersion === undefined ? [required(`${path}.apiVersion`, "")] : []),
    ...(kind === undefined ? [required(`${path}.kind`, "")] : []),
    ...(apiVersion === undefined ? [] : apiVersionErrors(apiVersion, `${path}.apiVersion`)),
    ...(kind === undefined ? [] : kindErrors(kind, `${path}.kind`)),
    ...(metadata === undefined ? [] : metadataErrors(metadata, `${path}.metadata`)),
  ];
}

function apiVersionErrors(value: Json, path: string): readonly FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  return value.split("/").length > 2 ? [invalid(path, value, `unexpected GroupVersion string: ${value}`)] : [];
}

function kindErrors(value: Json, path: string): readonly FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const wrong = dns1035Label(value.toLowerCase());
  return wrong.length === 0 ? [] : [invalid(path, value, `may have mixed case, but should otherwise match: ${wrong.join(",")}`)];
}

const decodeMeta = decodeStored(ObjectMeta);

/** Returns the errors of metadata, which decoding has converted to ObjectMeta before. */
function metadataErrors(value: Json, path: string): readonly FieldError[] {
  const meta = decodeMeta(treeFromJson(value));
  const named = meta.name === undefined || meta.name === "" ? { ...meta, name: "fakename" } : meta;
  const namespaced = named.namespace !== undefined && named.namespace !== "";
  return validateObjectMeta(named, storedNameRules(namespaced ? "Namespaced" : "Cluster"), path);
}
