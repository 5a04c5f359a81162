/**
 * Validation of values of custom resources against their schema, with the messages of upstream (kube-openapi `validation/validate`).
 * The order of errors within one value is upstream's; members are visited sorted by name.
 */
import { spendSteps } from "../budget.ts";
import { type FieldError, invalid, required, tooLong, tooMany } from "../field-error.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { otherMembers, type StructuralSchema } from "../structural-schema.ts";
import { goQuote } from "../tree/go-quote.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { Correlated } from "./correlation.ts";
import { enumError } from "./enums.ts";
import { formatCheck } from "./formats.ts";
import { isIntegerValue, isNearlyWhole, numberErrors } from "./numbers.ts";
import { patternOf } from "./patterns.ts";
import { Result } from "./result.ts";

export interface ValidateOptions {
  /** Path of the value; "" for an object. */
  readonly path?: string;
  /** Path of the value in messages. Default: `path`. */
  readonly shownPath?: string;
  /** The value before an update: errors of parts that have not changed are left out (gate CRDValidationRatcheting). */
  readonly old?: Json | undefined;
  /** The value is a default of a definition: an integer or a string then has the types in `anyOf` of its schema instead of a type. */
  readonly isDefault?: boolean;
}

/** All errors of a value. */
export function validateValue(value: Json, schema: StructuralSchema, options: ValidateOptions = {}): readonly FieldError[] {
  const { path = "", shownPath = path, old, isDefault = false } = options;
  const correlated = old === undefined ? undefined : new Correlated(value, old, schema);
  const { errors } = check(value, schema, { path: shownPath, correlated, isRoot: path === "", isDefault });
  return errors.map((error) => ({ ...error, path: fullPath(error.path, shownPath === path ? "" : path) }));
}

/** The path of an error. `prefix`: the part that messages leave out. */
function fullPath(path: string, prefix: string): string {
  const own = path.startsWith(".") ? path.slice(1) : path;
  if (prefix === "" || own === "<nil>") return own === "" ? "<nil>" : own;
  // Upstream puts a dot before an index, too.
  return own === "" ? prefix : `${prefix}.${own}`;
}

interface Place {
  readonly path: string;
  readonly correlated: Correlated | undefined;
  readonly isRoot: boolean;
  readonly isDefault: boolean;
}

/** Steps of one value and one schema: of the schema itself, and of each member name of an object, which are sorted. */
const valueSteps = 20;
const memberSteps = 4;
/** Characters of a string that a keyword reads in one step. */
const charactersPerStep = 8;

/** Checks a value, with ratcheting where the old value is known. */
function check(value: Json, schema: StructuralSchema, place: Place): Result {
  const result = checkAll(value, schema, place);
  return !result.isValid && place.correlated?.isSame === true ? new Result() : result;
}

function checkAll(value: Json, schema: StructuralSchema, place: Place): Result {
  spendSteps(valueSteps);
  const result = new Result();
  const { path } = place;
  const types = typesOf(schema, place.isDefault), format = knownFormat(schema, types);
  if (value === null) {
    if (types.length > 0 && schema.nullable !== true) result.add(typeError(path, types.join(","), "null"));
    else result.passed++;
    checkEnum(value, schema, path, result);
    return result;
  }
  const step = (run: () => void) => {
    run();
    result.passed++;
  };
  if (types.length > 0 || format !== "") step(() => checkType(value, types, format, path, result));
  step(() => checkAlternatives(value, schema, place, result));
  if (typeof value === "string") {
    step(() => checkString(value, schema, path, result));
    const fits = formatCheck(format);
    if (fits !== undefined) {
      spendSteps(value.length / charactersPerStep);
      step(() => fits(value) || result.add(typeError(path, format, value)));
    }
  }
  if (typeof value === "number" || typeof value === "bigint") {
    step(() => {
      for (const error of numberErrors(value, schema, path)) result.add(error);
      result.passed++;
    });
  }
  if (Array.isArray(value)) step(() => checkItems(value, schema, place, result));
  step(() => checkEnum(value, schema, path, result));
  if (isObject(value)) step(() => checkMembers(value, schema, place, result));
  result.passed++;
  return result;
}

function typesOf(schema: StructuralSchema, isDefault: boolean): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true && !isDefault) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

/** The format, if it is one that is checked for the type. */
function knownFormat({ format = "" }: StructuralSchema, [type = "", ...more]: readonly string[]): string {
  if (more.length > 0 || type === "" || type === "string") return formatCheck(format) === undefined ? "" : format;
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  return type === "number" && (format === "float" || format === "double") ? format : "";
}

/** The JSON type of a value and the format of its Go type. */
function shapeOf(value: Exclude<Json, null>): readonly [type: string, format: string] {
  if (typeof value === "boolean") return ["boolean", ""];
  if (typeof value === "string") return ["string", ""];
  if (typeof value === "number" || typeof value === "bigint") return isIntegerValue(value) ? ["integer", "int64"] : ["number", "float64"];
  return Array.isArray(value) ? ["array", ""] : ["object", ""];
}

function typeError(path: string, wanted: string, actual: string): FieldError {
  return { type: "TypeInvalid", path, value: actual, detail: `${path} in body must be of type ${wanted}: ${goQuote(actual)}` };
}

function checkType(value: Exclude<Json, null>, types: readonly string[], format: string, path: string, result: Result): void {
  const [type, own] = shapeOf(value);
  const isFloatInteger = type === "number" && isNearlyWhole(Number(value)) && types.includes("integer");
  const isIntegerNumber = type === "integer" && types.includes("number");
  const fits = types.includes(type) || isFloatInteger || isIntegerNumber;
  const isText = typeof value === "string" || Array.isArray(value);
  if (!isText && format !== "" && !fits && own !== format) return result.add(typeError(path, format, own));
  if (!types.includes("number") && !types.includes("integer") && format !== "" && isText) return void result.passed++;
  if (fits) result.passed++;
  else result.add(typeError(path, types.join(","), type));
}

function checkString(value: string, { maxLength, minLength, pattern }: StructuralSchema, path: string, result: Result): void {
  const length = maxLength === undefined && minLength === undefined ? 0 : lengthOf(value);
  if (maxLength !== undefined && length > maxLength) return result.add(tooLong(path, maxLength));
  if (minLength !== undefined && length < minLength) {
    return result.add(invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
  }
  if (pattern === undefined || pattern === "") return;
  const compiled = patternOf(pattern);
  if ("error" in compiled) {
    return result.add(invalid(path, value, `${path} in body should match '${pattern}, but pattern is invalid: ${compiled.error}'`));
  }
  if (!compiled.matches(value)) result.add(invalid(path, value, `${path} in body should match '${pattern}'`));
}

/** Number of code points. */
function lengthOf(text: string): number {
  spendSteps(text.length / charactersPerStep);
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function checkEnum(value: Json, { enum: allowed = [] }: StructuralSchema, path: string, result: Result): void {
  const error = allowed.length === 0 ? undefined : enumError(path, value, allowed);
  if (error !== undefined) result.add(error);
}

function checkItems(items: readonly Json[], schema: StructuralSchema, { path, correlated, isDefault }: Place, result: Result): void {
  const { items: inner, minItems, maxItems } = schema;
  if (inner !== undefined) {
    for (const [index, item] of items.entries()) {
      if (result.isFull) return;
      result.merge(check(item, inner, { path: `${path}[${index}]`, correlated: correlated?.item(index), isRoot: false, isDefault }));
    }
  }
  if (minItems !== undefined && items.length < minItems) {
    result.add(invalid(path, items.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) result.add(tooMany(path, items.length, maxItems));
  result.passed++;
}

function checkMembers(object: JsonObject, schema: StructuralSchema, { path, correlated, isRoot, isDefault }: Place, result: Result): void {
  const { minProperties, maxProperties, properties = {}, additionalProperties, required: wanted = [] } = schema;
  const keys = sortedKeys(object);
  spendSteps(keys.length * memberSteps + wanted.length);
  if (minProperties !== undefined && keys.length < minProperties) {
    result.add(invalid(path, keys.length, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && keys.length > maxProperties) result.add(tooMany(path, keys.length, maxProperties));
  const others = otherMembers(schema);
  for (const key of keys) {
    if (result.isFull) return;
    const own = Object.hasOwn(properties, key);
    if (!own && additionalProperties === false) result.add(invalid(path, key, `${path}.${key} in body is a forbidden property`));
    const inner = own ? properties[key] : others;
    if (inner === undefined) continue;
    // Kind and version of an object are those of the request on both sides: their errors stay.
    const isType = isRoot && (key === "kind" || key === "apiVersion");
    const below = own && path === "" ? key : `${path}.${key}`;
    const member = isType ? undefined : correlated?.member(key);
    result.merge(check(object[key]!, inner, { path: below, correlated: member, isRoot: false, isDefault }));
  }
  for (const key of wanted) if (!Object.hasOwn(object, key)) result.add(required(`${path}.${key}`, ""));
}

/** Errors of alternatives have no path, as upstream. */
function aboutAlternatives(text: string): FieldError {
  return invalid("<nil>", "", text);
}

function checkAlternatives(value: Json, schema: StructuralSchema, place: Place, result: Result): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return void result.passed++;
  const shown = goQuote(place.path);
  const run = (alternative: StructuralSchema) => checkAll(value, alternative, place);
  if (anyOf.length > 0) {
    const results = firstValid(anyOf, run), valid = results.find(({ isValid }) => isValid);
    if (valid === undefined) result.add(aboutAlternatives(`${shown} must validate at least one schema (anyOf)`));
    result.merge(valid ?? best(results));
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(run), valid = results.filter(({ isValid }) => isValid);
    if (valid.length === 1) result.merge(valid[0]!);
    else {
      const why = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
      result.add(aboutAlternatives(`${shown} must validate one and only one schema (oneOf). ${why}`));
      if (valid.length === 0) result.merge(best(results));
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map(run), valid = results.filter(({ isValid }) => isValid).length;
    for (const each of results) result.merge(each);
    if (valid !== allOf.length) {
      result.add(aboutAlternatives(`${shown} must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`));
    }
  }
  if (not !== undefined && run(not).isValid) result.add(aboutAlternatives(`${shown} must not validate the schema (not)`));
  result.passed++;
}

/** Results up to the first valid one. */
function firstValid(schemas: readonly StructuralSchema[], run: (schema: StructuralSchema) => Result): readonly Result[] {
  const results: Result[] = [];
  for (const schema of schemas) {
    const result = run(schema);
    results.push(result);
    if (result.isValid) break;
  }
  return results;
}

/** The failed alternative with most passed checks; the first of several. */
function best(results: readonly Result[]): Result {
  return results.reduce((a, b) => b.passed > a.passed ? b : a);
}
