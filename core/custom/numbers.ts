/** Bounds and ranges of numbers. Integers are compared as int64, other numbers as doubles. */
import { type FieldError, invalid } from "../field-error.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { goNumber } from "../tree/go-number.ts";

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
  if (multipleOf !== undefined) errors.push(range(multipleOf, "MultipleOf"), multipleError(value, multipleOf, path));
  if (minimum !== undefined) {
    const limit = bound(value, minimum);
    const isOver = exclusiveMinimum ? value <= limit : value < limit;
    const text = `${exclusiveMinimum ? "greater than" : "greater than or equal to"} ${goNumber(limit)}`;
    errors.push(range(minimum, "Minimum boundary"), isOver ? invalid(path, value, `${path} in body should be ${text}`) : undefined);
  }
  if (maximum !== undefined) {
    const limit = bound(value, maximum);
    const isOver = exclusiveMaximum ? value >= limit : value > limit;
    const text = `${exclusiveMaximum ? "less than" : "less than or equal to"} ${goNumber(limit)}`;
    errors.push(range(maximum, "Maximum boundary"), isOver ? invalid(path, value, `${path} in body should be ${text}`) : undefined);
  }
  return errors.filter((error) => error !== undefined);
}

const int64Min = -(2n ** 63n);

/** A bound as it is compared: for an integer without its fraction, and the smallest int64 for one beyond an int64, as Go converts doubles. */
function bound(value: Num, limit: number): Num {
  if (!isIntegerValue(value) || !Number.isFinite(limit)) return limit;
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

function multipleError(value: Num, factor: number, path: string): FieldError | undefined {
  const whole = isIntegerValue(value);
  const step = whole ? Math.trunc(factor) : factor;
  if (step <= 0) {
    return invalid(path, step, `factor MultipleOf declared for ${path} must be positive: ${goNumber(step)}`);
  }
  const isMultiple = whole
    ? BigInt(value) % BigInt(step) === 0n
    : isNearlyWhole(factor < 1 ? 1 / factor * Number(value) : Number(value) / factor);
  return isMultiple ? undefined : invalid(path, value, `${path} in body should be a multiple of ${goNumber(step)}`);
}

/** Whether go-openapi takes a double for an integer: a safe one, within a relative error of 1e-9. */
export function isNearlyWhole(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.round(value);
  return value === whole || Math.abs(value - whole) < 1e-9 * Math.abs(whole);
}
