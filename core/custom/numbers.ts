/** Bounds and ranges of numbers. Integers are compared as int64, other numbers as doubles. */
import { type FieldError, invalid, noErrors } from "../field-error.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { goDouble } from "../tree/go-number.ts";

type Num = number | bigint;

/** Whether Go's JSON decoder makes an int64 of the number. */
export function isIntegerValue(value: Num): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/** The keywords of a schema that concern numbers. */
export interface NumberKeywords {
  /** "" where it does not bound the number: an integer or a string. */
  readonly type: string;
  readonly format: string;
  readonly multipleOf: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
}

export function numberKeywords(schema: StructuralSchema): NumberKeywords {
  const { type, format, multipleOf, maximum, exclusiveMaximum = false, minimum, exclusiveMinimum = false } = schema;
  const single = schema["x-kubernetes-int-or-string"] === true ? "" : type ?? "";
  return { type: single, format: formatOf(single, format), multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum };
}

/** Returns the errors of a number. The path is read only if there are any. */
export function numberErrors(value: Num, keywords: NumberKeywords, place: { readonly path: string }): readonly FieldError[] {
  const { multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = keywords;
  let errors = noErrors;
  const add = (error: FieldError) => {
    errors = [...errors, error];
  };
  if (!isInRange(value, keywords)) add(rangeError(keywords, "Checked", place.path));
  /** Whether a keyword is compared with the value as an integer. One outside of the range of the type is compared as a double. */
  const isInteger = (keyword: number, what: string): boolean => {
    if (isInRange(keyword, keywords)) return isIntegerValue(value);
    add(rangeError(keywords, what, place.path));
    return false;
  };
  if (multipleOf !== undefined) {
    const error = multipleError(value, multipleOf, isInteger(multipleOf, "MultipleOf"), place);
    if (error !== undefined) add(error);
  }
  if (minimum !== undefined) {
    const whole = isInteger(minimum, "Minimum boundary"), limit = whole ? integerBound(minimum) : minimum;
    if (exclusiveMinimum ? value <= limit : value < limit) {
      const text = exclusiveMinimum ? "greater than" : "greater than or equal to";
      add(invalid(place.path, value, `${place.path} in body should be ${text} ${limitText(limit, whole)}`));
    }
  }
  if (maximum !== undefined) {
    const whole = isInteger(maximum, "Maximum boundary"), limit = whole ? integerBound(maximum) : maximum;
    if (exclusiveMaximum ? value >= limit : value > limit) {
      const text = exclusiveMaximum ? "less than" : "less than or equal to";
      add(invalid(place.path, value, `${place.path} in body should be ${text} ${limitText(limit, whole)}`));
    }
  }
  return errors;
}

/** Returns a bound as Go prints it: as an int64 or as a double. */
function limitText(limit: number, isInteger: boolean): string {
  return isInteger ? String(BigInt(limit)) : goDouble(limit);
}

const int64Min = -(2 ** 63), int64End = 2 ** 63;
const int32Min = -(2 ** 31), int32End = 2 ** 31;

/** Returns a bound of an integer: without its fraction, and the smallest int64 for one beyond an int64, as Go converts doubles. */
function integerBound(limit: number): number {
  return Math.abs(limit) < int64End ? Math.trunc(limit) : int64Min;
}

function formatOf(type: string, format = ""): string {
  if (type === "integer" && (format === "int32" || format === "int64")) return format;
  return type === "number" && (format === "float" || format === "double") ? format : "";
}

/** Whether a number is within the range of a type and format. */
function isInRange(value: Num, { type, format }: NumberKeywords): boolean {
  if (type !== "integer") return format !== "float" || Number.isFinite(Math.fround(Number(value)));
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  return format === "int32" ? value >= int32Min && value < int32End : value >= int64Min && value < int64End;
}

function rangeError({ type, format }: NumberKeywords, what: string, path: string): FieldError {
  const wanted = format === "" ? `${type} (default format)` : `${type} with format ${format}`;
  return invalid("<nil>", "", `${what} value must be of type ${wanted} in ${path}`);
}

function multipleError(value: Num, factor: number, isInteger: boolean, place: { readonly path: string }): FieldError | undefined {
  const step = isInteger ? integerBound(factor) : factor;
  if (step <= 0) {
    const text = `factor MultipleOf declared for ${place.path} must be positive: ${limitText(step, isInteger)}`;
    return invalid(place.path, isInteger ? BigInt(step) : step, text);
  }
  if (isMultiple(value, step, isInteger)) return undefined;
  return invalid(place.path, value, `${place.path} in body should be a multiple of ${limitText(step, isInteger)}`);
}
function isMultiple(value: Num, step: number, isInteger: boolean): boolean {
  if (!isInteger) return isNearlyWhole(step < 1 ? 1 / step * Number(value) : Number(value) / step);
  return typeof value === "bigint" ? value % BigInt(step) === 0n : value % step === 0;
}

/** Whether go-openapi takes a double for an integer: a safe one, within a relative error of 1e-9. */
export function isNearlyWhole(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.round(value);
  return value === whole || Math.abs(value - whole) < 1e-9 * Math.abs(whole);
}
