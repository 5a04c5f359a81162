/**
 * Validation of values of custom resources against their schema, with the messages of upstream (kube-openapi `validation/validate`).
 * The order of errors within one value is upstream's; members are visited sorted by name.
 */
import { spendSteps } from "../budget.ts";
import { type FieldError, invalid, required, tooLong, tooMany } from "../field-error.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { goQuote } from "../tree/go-quote.ts";
import { sortedKeys } from "../tree/sorted-keys.ts";
import { Correlated } from "./correlation.ts";
import { enumError } from "./enums.ts";
import { type Alternatives, type Keywords, keywordsOf } from "./keywords.ts";
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

/** Returns all errors of a value. */
export function validateValue(value: Json, schema: StructuralSchema, options: ValidateOptions = {}): readonly FieldError[] {
  const { path = "", shownPath = path, old, isDefault = false } = options;
  const correlated = old === undefined ? undefined : new Correlated(value, old, schema);
  const { errors } = check(value, schema, new Place(undefined, shownPath, correlated, isDefault, path === ""));
  return errors.map((error) => ({ ...error, path: fullPath(error.path, shownPath === path ? "" : path) }));
}

/** Returns the path of an error. `prefix`: the part that messages leave out. */
function fullPath(path: string, prefix: string): string {
  const own = path.startsWith(".") ? path.slice(1) : path;
  if (prefix === "" || own === "<nil>") return own === "" ? "<nil>" : own;
  // Upstream puts a dot before an index, too.
  return own === "" ? prefix : `${prefix}.${own}`;
}

/** Where a value is. Its path is made for errors only. */
class Place {
  readonly correlated: Correlated | undefined;
  readonly isRoot: boolean;
  readonly isDefault: boolean;
  readonly #parent: Place | undefined;
  /** The index of an item, or the path below the parent. */
  readonly #step: number | string;
  #path: string | undefined;

  constructor(parent: Place | undefined, step: number | string, correlated: Correlated | undefined, isDefault: boolean, isRoot = false) {
    this.#parent = parent;
    this.#step = step;
    this.correlated = correlated;
    this.isDefault = isDefault;
    this.isRoot = isRoot;
  }
  get path(): string {
    return this.#path ??= `${this.#parent?.path ?? ""}${typeof this.#step === "number" ? `[${this.#step}]` : this.#step}`;
  }
  /** Whether the path is empty. */
  get isTop(): boolean {
    return this.#step === "" && this.#parent === undefined;
  }
  item(index: number): Place {
    return new Place(this, index, this.correlated?.item(index), this.isDefault);
  }
  /** @param own whether the schema names the member */
  member(key: string, own: boolean, correlated: Correlated | undefined): Place {
    return new Place(this, own && this.isTop ? key : `.${key}`, correlated, this.isDefault);
  }
}

/** Steps of one value and one schema: of the schema itself, and of each member name of an object, which are sorted. */
const valueSteps = 20;
const memberSteps = 4;
/** Characters of a string that a keyword reads in one step. */
const charactersPerStep = 8;
/** Steps of comparing a string with a format, and of each of its characters: some formats are found out part by part. */
const formatSteps = 40;
const formatStepsPerCharacter = 2;

/** Checks a value, with ratcheting where the old value is known. */
function check(value: Json, schema: StructuralSchema, place: Place): Result {
  const result = checkAll(value, schema, place);
  return !result.isValid && place.correlated?.isSame === true ? new Result() : result;
}

function checkAll(value: Json, schema: StructuralSchema, place: Place): Result {
  spendSteps(valueSteps);
  const result = new Result(), keywords = keywordsOf(schema);
  const { types, format, fits } = place.isDefault ? keywords.typingOfDefaults : keywords.typing;
  const { alternatives, allowed } = keywords;
  if (value === null) {
    if (types.length > 0 && !keywords.isNullable) result.add(typeError(place.path, types.join(","), "null"));
    else result.passed++;
    if (allowed !== undefined) checkEnum(value, allowed, place, result);
    return result;
  }
  // Each keyword that concerns the value counts as passed beside the checks in it that pass, as upstream.
  if (types.length > 0 || format !== "") {
    checkType(value, types, format, place, result);
    result.passed++;
  }
  if (alternatives !== undefined) checkAlternatives(value, alternatives, place, result);
  result.passed += 2;
  if (typeof value === "string") {
    checkString(value, keywords, place, result);
    result.passed++;
    if (fits !== undefined) {
      spendSteps(formatSteps + value.length * formatStepsPerCharacter);
      if (!fits(value)) result.add(typeError(place.path, format, value));
      result.passed++;
    }
  } else if (typeof value === "number" || typeof value === "bigint") {
    for (const error of numberErrors(value, keywords.number, place)) result.add(error);
    result.passed += 2;
  } else if (Array.isArray(value)) {
    checkItems(value, keywords, place, result);
    result.passed++;
  }
  if (allowed !== undefined) checkEnum(value, allowed, place, result);
  result.passed++;
  if (isObject(value)) {
    checkMembers(value, keywords, place, result);
    result.passed++;
  }
  result.passed++;
  return result;
}

/** The JSON type of a value and the format of its Go type. */
interface Shape {
  readonly type: string;
  readonly format: string;
}
const shape = (type: string, format = ""): Shape => Object.freeze({ type, format });
const shapes = {
  ...{ boolean: shape("boolean"), string: shape("string"), array: shape("array"), object: shape("object") },
  ...{ integer: shape("integer", "int64"), number: shape("number", "float64") },
};

function shapeOf(value: Exclude<Json, null>): Shape {
  if (typeof value === "boolean") return shapes.boolean;
  if (typeof value === "string") return shapes.string;
  if (typeof value === "number" || typeof value === "bigint") return isIntegerValue(value) ? shapes.integer : shapes.number;
  return Array.isArray(value) ? shapes.array : shapes.object;
}

function typeError(path: string, wanted: string, actual: string): FieldError {
  return { type: "TypeInvalid", path, value: actual, detail: `${path} in body must be of type ${wanted}: ${goQuote(actual)}` };
}

function checkType(value: Exclude<Json, null>, types: readonly string[], format: string, place: Place, result: Result): void {
  const { type, format: own } = shapeOf(value);
  const isFloatInteger = type === "number" && isNearlyWhole(Number(value)) && types.includes("integer");
  const isIntegerNumber = type === "integer" && types.includes("number");
  const fits = types.includes(type) || isFloatInteger || isIntegerNumber;
  const isText = typeof value === "string" || Array.isArray(value);
  if (!isText && format !== "" && !fits && own !== format) return result.add(typeError(place.path, format, own));
  if (!types.includes("number") && !types.includes("integer") && format !== "" && isText) return void result.passed++;
  if (fits) result.passed++;
  else result.add(typeError(place.path, types.join(","), type));
}

function checkString(value: string, { maxLength, minLength, pattern }: Keywords, place: Place, result: Result): void {
  const length = maxLength === undefined && minLength === undefined ? 0 : lengthOf(value);
  if (maxLength !== undefined && length > maxLength) return result.add(tooLong(place.path, maxLength));
  if (minLength !== undefined && length < minLength) {
    return result.add(invalid(place.path, value, `${place.path} in body should be at least ${minLength} chars long`));
  }
  if (pattern === undefined) return;
  const compiled = patternOf(pattern);
  if ("error" in compiled) {
    const why = `${place.path} in body should match '${pattern}, but pattern is invalid: ${compiled.error}'`;
    return result.add(invalid(place.path, value, why));
  }
  if (!compiled.matches(value)) result.add(invalid(place.path, value, `${place.path} in body should match '${pattern}'`));
}

/** Returns the number of code points. */
function lengthOf(text: string): number {
  spendSteps(text.length / charactersPerStep);
  let length = text.length;
  for (let at = 1; at < text.length; at++) {
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) length--;
  }
  return length;
}
function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

function checkEnum(value: Json, allowed: readonly Json[], place: Place, result: Result): void {
  const error = enumError(place, value, allowed);
  if (error !== undefined) result.add(error);
}

function checkItems(items: readonly Json[], { items: inner, minItems, maxItems }: Keywords, place: Place, result: Result): void {
  if (inner !== undefined) {
    for (const [index, item] of items.entries()) {
      if (result.isFull) return;
      result.merge(check(item, inner, place.item(index)));
    }
  }
  if (minItems !== undefined && items.length < minItems) {
    result.add(invalid(place.path, items.length, `${place.path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) result.add(tooMany(place.path, items.length, maxItems));
  result.passed++;
}

function checkMembers(object: JsonObject, keywords: Keywords, place: Place, result: Result): void {
  const { minProperties, maxProperties, properties, others, isClosed, required: wanted } = keywords, { correlated } = place;
  const keys = sortedKeys(object);
  spendSteps(keys.length * memberSteps + wanted.length);
  if (minProperties !== undefined && keys.length < minProperties) {
    result.add(invalid(place.path, keys.length, `${place.path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && keys.length > maxProperties) result.add(tooMany(place.path, keys.length, maxProperties));
  for (const key of keys) {
    if (result.isFull) return;
    const own = Object.hasOwn(properties, key);
    if (!own && isClosed) result.add(invalid(place.path, key, `${place.path}.${key} in body is a forbidden property`));
    const inner = own ? properties[key] : others;
    if (inner === undefined) continue;
    // Kind and version of an object are those of the request on both sides: their errors stay.
    const isType = place.isRoot && (key === "kind" || key === "apiVersion");
    result.merge(check(object[key]!, inner, place.member(key, own, isType ? undefined : correlated?.member(key))));
  }
  for (const key of wanted) if (!Object.hasOwn(object, key)) result.add(required(`${place.path}.${key}`, ""));
}

/** Errors of alternatives have no path, as upstream. */
function aboutAlternatives(text: string): FieldError {
  return invalid("<nil>", "", text);
}

function checkAlternatives(value: Json, { anyOf, oneOf, allOf, not }: Alternatives, place: Place, result: Result): void {
  const add = (text: string) => result.add(aboutAlternatives(`${goQuote(place.path)} must ${text}`));
  if (anyOf.length > 0) {
    const { valid: [valid], best } = tryAlternatives(value, anyOf, place, 1);
    if (valid === undefined) add("validate at least one schema (anyOf)");
    result.merge(valid ?? best!);
  }
  if (oneOf.length > 0) {
    const { valid, best } = tryAlternatives(value, oneOf, place);
    if (valid.length === 1) result.merge(valid[0]!);
    else {
      const why = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
      add(`validate one and only one schema (oneOf). ${why}`);
      if (valid.length === 0) result.merge(best!);
    }
  }
  if (allOf.length > 0) {
    let valid = 0;
    for (const each of allOf) {
      const one = checkAll(value, each, place);
      if (one.isValid) valid++;
      result.merge(one);
    }
    if (valid !== allOf.length) add(`validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
  }
  if (not !== undefined && checkAll(value, not, place).isValid) add("not validate the schema (not)");
}

/** Returns the results of the alternatives that are valid, at most so many, and of the failed one with most passed checks: the first of several. */
function tryAlternatives(value: Json, schemas: readonly StructuralSchema[], place: Place, validMax = Infinity) {
  const valid: Result[] = [];
  let best: Result | undefined;
  for (const schema of schemas) {
    const result = checkAll(value, schema, place);
    if (!result.isValid) {
      if (best === undefined || result.passed > best.passed) best = result;
    } else if (valid.push(result) === validMax) break;
  }
  return { valid, best };
}
