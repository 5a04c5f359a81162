/** Bounds and ranges of numbers. Integers are compared as int64, other numbers as doubles. */
import { type FieldError, invalid } from "../field-error.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { numberText } from "../tree/values.ts";

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

/** A bound as it is compared: for an integer without its fraction. */
function bound(value: Num, limit: number): Num {
  return isIntegerValue(value) && Number.isFinite(limit) ? BigInt(Math.trunc(limit)) : limit;
}

function formatOf(type: string, format = ""): string {
  if (type === "integer" && (format === "int32" || format === "int64")) return format;
  return type === "number" && (format === "float" || format === "double") ? format : "";
}

const floatMax = 3.4028234663852886e38;

/** The error of a number outside of the range of its type and format. */
function rangeError(value: Num, type: string, format: string, what: string, path: string): FieldError | undefined {
  const fits = type === "integer"
    ? isWhole(value) && (format !== "int32" || (value >= -(2n ** 31n) && value < 2n ** 31n)) && value >= -(2n ** 63n) && value < 2n ** 63n
    : format !== "float" || Math.abs(Number(value)) <= floatMax;
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
    return invalid(path, goNumber(factor), `factor MultipleOf declared for ${path} must be positive: ${goNumber(whole ? step : factor)}`);
  }
  const isMultiple = whole
    ? BigInt(value) % BigInt(step) === 0n
    : isNearlyWhole(factor < 1 ? 1 / factor * Number(value) : Number(value) / factor);
  return isMultiple ? undefined : invalid(path, value, `${path} in body should be a multiple of ${goNumber(step)}`);
}

/** As go-openapi compares quotients of doubles. */
function isNearlyWhole(quotient: number): boolean {
  if (!Number.isFinite(quotient) || Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(quotient), difference = Math.abs(quotient - whole);
  if (quotient === whole) return true;
  if (quotient === 0 || whole === 0 || difference < Number.EPSILON) return difference < 1e-9 * Number.EPSILON;
  return difference / (Math.abs(quotient) + Math.abs(whole)) < 1e-9;
}

/** A number as Go's `%v` shows it: exponents from 1e+21 and below 1e-4 for doubles. */
function goNumber(value: Num): string {
  if (typeof value === "bigint") return String(value);
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e21)) {
    const [digits = "", exponent = ""] = value.toExponential().split("e");
    const power = exponent.replace(/^[+-]/, "");
    return `${digits}e${exponent.startsWith("-") ? "-" : "+"}${power.padStart(2, "0")}`;
  }
  return numberText(value);
}
