/** Validates `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`. */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../plugin.ts";
import { append } from "../../../toolbox.ts";
import type { SchemaProps } from "../schema-props.ts";
import { isSchema } from "../schema-walk.ts";
import { shownItems } from "./shown.ts";

const none: readonly FieldError[] = Object.freeze([]);
const choice = (path: string, value: string, choices: readonly string[]): FieldError => ({
  ...notSupported(path, value, choices),
  quoted: "go",
});

function wrongType(type: string, path: string, rule: string): FieldError {
  return type === "" ? required(`${path}.type`, rule) : invalid(`${path}.type`, type, rule);
}

export function validateMapType({ type = "", "x-kubernetes-map-type": mapType }: SchemaProps, path: string): readonly FieldError[] {
  if (mapType === undefined) return none;
  const errors: FieldError[] = [];
  if (type !== "object") errors.push(wrongType(type, path, "must be object if x-kubernetes-map-type is specified"));
  const known = ["atomic", "granular"];
  if (!known.includes(mapType)) errors.push(choice(`${path}.x-kubernetes-map-type`, mapType, known));
  return errors;
}

/** Validates the list type. `requireAtomicSets`: each item of a set must be treated as one value. */
export function validateListType(schema: SchemaProps, path: string, requireAtomicSets: boolean): readonly FieldError[] {
  const { type = "", items, "x-kubernetes-list-type": listType, "x-kubernetes-list-map-keys": keys = [] } = schema;
  if (listType === undefined && keys.length === 0) return none;
  const errors: FieldError[] = [], at = `${path}.x-kubernetes-list-type`;
  if (listType !== undefined && type !== "array") {
    errors.push(wrongType(type, path, "must be array if x-kubernetes-list-type is specified"));
  } else if (requireAtomicSets && listType === "set" && isSchema(items)) append(errors, validateSetItems(items, path));
  const known = ["atomic", "set", "map"];
  if (listType !== undefined && !known.includes(listType)) errors.push(choice(at, listType, known));
  if (keys.length > 0 && listType !== "map") {
    const rule = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(listType === undefined ? required(at, rule) : invalid(at, listType, rule));
  }
  return listType === "map" ? [...errors, ...validateMapList(schema, keys, path)] : errors;
}

/** Whether the items of a set are merged, and not treated as one value each. */
export function hasMergedItems(schema: SchemaProps): boolean {
  const { items, "x-kubernetes-list-type": listType } = schema;
  return listType === "set" && isSchema(items) && validateSetItems(items, "").length > 0;
}

function validateSetItems(
  { type, "x-kubernetes-list-type": listType, "x-kubernetes-map-type": mapType }: SchemaProps,
  path: string,
): readonly FieldError[] {
  const rule = "must be atomic as item of a list with x-kubernetes-list-type=set";
  // Upstream's error shows the list type in both cases.
  if (type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-list-type`, listType, rule)];
  }
  return type === "object" && mapType !== "atomic" ? [invalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, rule)] : none;
}

function validateMapList({ items }: SchemaProps, keys: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [], at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  if (items === undefined) errors.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
  else if (!isSchema(items)) {
    errors.push(invalid(`${path}.items`, shownItems(items), "must only have a single schema if x-kubernetes-list-type is map"));
  } else if (items.type !== "object") {
    errors.push(invalid(`${path}.items.type`, items.type ?? "", "must be object if parent array's x-kubernetes-list-type is map"));
  } else {
    const { properties = {} } = items, seen = new Set<string>();
    for (const key of keys) {
      if (errors.length >= keyErrorsMax) break;
      if (!Object.hasOwn(properties, key)) errors.push(invalid(at, keys, "entries must all be names of item properties"));
      else if (properties[key]!.type === "array" || properties[key]!.type === "object") {
        const rule = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(invalid(`${path}.items.properties[${key}].type`, "object", rule));
      }
      if (seen.has(key)) errors.push(invalid(at, keys, "must not contain duplicate entries"));
      seen.add(key);
    }
  }
  return errors;
}
/** Maximum number of errors about keys. Each error shows all keys. */
const keyErrorsMax = 64;

/** Checks that items of sets and keyed lists cannot be null, and that their keys are always present. */
export function validateListKeys(schema: SchemaProps, path: string): readonly FieldError[] {
  const { items, "x-kubernetes-list-type": listType, "x-kubernetes-list-map-keys": keys = [] } = schema;
  if (!isSchema(items) || (listType !== "set" && listType !== "map")) return none;
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType === "set") return errors;
  const { properties = {} } = items, needed = new Set(items.required);
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`, because = "this property is in x-kubernetes-list-map-keys, so it";
    if (!needed.has(key) && property.default === undefined) {
      errors.push(required(`${at}.default`, `${because} must have a default or be a required property`));
    }
    if (property.nullable === true) errors.push(forbidden(`${at}.nullable`, `${because} cannot be nullable`));
  }
  return errors;
}
