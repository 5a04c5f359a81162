/** Bounds and ranges of numbers. Integers are compared as int64, other numbers as doubles. */
import { type FieldError, invalid } from "../field-error.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { goDouble } from "../tree/go-number.ts";

type Num = number | bigint;

/** Whether Go's JSON decoder makes an int64 of the number. */
export function isIntegerValue(value: Num): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/** The errors of a number. */
export function numberErrors(value: Num, schema: StructuralSchema, path: string): readonly FieldError[] {
  const { type, format, multipleOf, maximum, exclusiveMaximum = false, minimum, exclusiveMinimum = false } = schema;
  const single = schema["x-kubernetes-int-or-string"] === true ? "" : type ?? "";
  const range = (number: Num, what: string) => rangeError(number, single, formatOf(single, format), what, path);
  const errors: (FieldError | undefined)[] = [range(value, "Checked")];
  /** A keyword whose number is outside of the range of the type is compared with the value as a double. */
  const add = (keyword: number, what: string, errorOf: (isInteger: boolean) => FieldError | undefined) => {
    const wrong = range(keyword, what);
    errors.push(wrong, errorOf(wrong === undefined && isIntegerValue(value)));
  };
  if (multipleOf !== undefined) add(multipleOf, "MultipleOf", (isInteger) => multipleError(value, multipleOf, isInteger, path));
  if (minimum !== undefined) {
    add(minimum, "Minimum boundary", (isInteger) => {
      const limit = isInteger ? integerBound(minimum) : minimum;
      const text = `${exclusiveMinimum ? "greater than" : "greater than or equal to"} ${shown(limit)}`;
      return (exclusiveMinimum ? value <= limit : value < limit) ? invalid(path, value, `${path} in body should be ${text}`) : undefined;
    });
  }
  if (maximum !== undefined) {
    add(maximum, "Maximum boundary", (isInteger) => {
      const limit = isInteger ? integerBound(maximum) : maximum;
      const text = `${exclusiveMaximum ? "less than" : "less than or equal to"} ${shown(limit)}`;
      return (exclusiveMaximum ? value >= limit : value > limit) ? invalid(path, value, `${path} in body should be ${text}`) : undefined;
    });
  }
  return errors.filter((error) => error !== undefined);
}

/** An int64, or a double. */
function shown(limit: Num): string {
  return typeof limit === "bigint" ? String(limit) : goDouble(limit);
}

const int64Min = -(2n ** 63n);

/** A bound of an integer: without its fraction, and the smallest int64 for one beyond an int64, as Go converts doubles. */
function integerBound(limit: number): bigint {
  return Math.abs(limit) < 2 ** 63 ? BigInt(Math.trunc(limit)) : int64Min;
}

function formatOf(type: string, format = ""): string {
  if (type === "integer" && (format === "int32" || format === "int64")) return format;
  return type === "number" && (format === "float" || format === "double") ? format : "";
}

/** The error of a number outside of the range of its type and format. */
function rangeError(value: Num, type: string, format: string, what: string, path: string): FieldError | undefined {
  const fits = type === "integer"
    ? isWhole(value) && (format !== "int32" || (value >= -(2n ** 31n) && value < 2n ** 31n)) && value >= -(2n ** 63n) && value < 2n ** 63n
    : format !== "float" || Number.isFinite(Math.fround(Number(value)));
  if (fits) return undefined;
  const wanted = format === "" ? `${type} (default format)` : `${type} with format ${format}`;
  return invalid("<nil>", "", `${what} value must be of type ${wanted} in ${path}`);
}
function isWhole(value: Num): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function multipleError(value: Num, factor: number, isInteger: boolean, path: string): FieldError | undefined {
  const step = isInteger ? integerBound(factor) : factor;
  if (step <= 0) return invalid(path, step, `factor MultipleOf declared for ${path} must be positive: ${shown(step)}`);
  const isMultiple = typeof step === "bigint"
    ? BigInt(value) % step === 0n
    : isNearlyWhole(step < 1 ? 1 / step * Number(value) : Number(value) / step);
  return isMultiple ? undefined : invalid(path, value, `${path} in body should be a multiple of ${shown(step)}`);
}

/** Whether go-openapi takes a double for an integer: a safe one, within a relative error of 1e-9. */
export function isNearlyWhole(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.round(value);
  return value === whole || Math.abs(value - whole) < 1e-9 * Math.abs(whole);
}
