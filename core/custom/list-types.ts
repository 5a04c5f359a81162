/** Uniqueness in lists with `x-kubernetes-list-type` set or map (upstream: apiextensions-apiserver `schema/listtype`). */
import { spendSteps } from "../budget.ts";
import { append } from "../append.ts";
import { duplicate, type FieldError, invalid } from "../field-error.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { otherMembers, type StructuralSchema } from "../structural-schema.ts";
import { sortedText } from "../derive/raw-json.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";

/** Returns the errors of all sets and keyed lists in a value. */
export function listTypeErrors(value: Json, schema: StructuralSchema, path = ""): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, path, errors);
  return errors;
}

function visit(value: Json, schema: StructuralSchema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) return visitItems(value, schema, path, errors);
  if (!isObject(value)) return;
  const { properties = {} } = schema, others = otherMembers(schema);
  for (const key of sortedKeys(value)) {
    const own = Object.hasOwn(properties, key), inner = own ? properties[key] : others;
    if (inner !== undefined) visit(value[key]!, inner, own ? (path === "" ? key : `${path}.${key}`) : `${path}[${key}]`, errors);
  }
}

function visitItems(items: readonly Json[], schema: StructuralSchema, path: string, errors: FieldError[]): void {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") {
    for (const index of repetitionsOf(items)) errors.push(duplicate(`${path}[${index}]`, items[index]));
  } else if (type === "map") append(errors, keyErrors(items, schema["x-kubernetes-list-map-keys"] ?? [], path));
  const { items: inner } = schema;
  if (inner !== undefined) items.forEach((item, index) => visit(item, inner, `${path}[${index}]`, errors));
}

/** Steps of one item or member, and characters of an item that are written and compared in one step. */
const itemSteps = 10;
const charactersPerStep = 4;

/** Returns the indexes of the first repetition of each value that occurs more than once. */
function repetitionsOf(values: readonly Json[]): readonly number[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = sortedText(value), seen = times.get(text) ?? 0;
    spendSteps(itemSteps + text.length / charactersPerStep);
    times.set(text, seen + 1);
    return seen === 1 ? [index] : [];
  });
}

function keyErrors(items: readonly Json[], keys: readonly string[], path: string): readonly FieldError[] {
  spendSteps(items.length * (1 + keys.length));
  const wrong = items.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) return [invalid(`${path}[${wrong}]`, items[wrong], "must be an object for an array of list-type map")];
  const own = items.map((item): JsonObject =>
    Object.fromEntries(keys.flatMap((key) => isObject(item) && Object.hasOwn(item, key) ? [[key, item[key]!]] : []))
  );
  return repetitionsOf(own).map((index) => duplicate(`${path}[${index}]`, own[index]));
}
