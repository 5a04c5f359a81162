import { goJson, goString } from "./tree/json-text.ts";
import type { Json } from "./schema.ts";
import { goNumber } from "./tree/go-number.ts";
import { goQuote } from "./tree/go-quote.ts";

/** The value of an error that shows none, as upstream's `OmitValueType`. */
export const omittedValue: unique symbol = Symbol("omitted value");

/** The type of a field error: it gives the begin of the message, such as `Required value`, and the reason of the cause, such as `FieldValueRequired`. */
export type FieldErrorType =
  | "NotFound"
  | "Required"
  | "Duplicate"
  | "Invalid"
  | "TypeInvalid"
  | "NotSupported"
  | "Forbidden"
  | "TooLong"
  | "TooMany"
  | "Internal";

/** The error of one field: type, path, value and detail. A cause in `details.causes` of a 422. */
export interface FieldError {
  /** Decides about the begin of the message and the `reason` of the cause. */
  readonly type: FieldErrorType;
  /** `spec.drivers[0].name`, `data[key]`. The empty path is `<nil>` or, for some lists as upstream, `[]`. */
  readonly path: string;
  /** The wrong value, shown in the message for the types that show one. Absent or `omittedValue`: none. */
  readonly value?: unknown;
  /** The sentence after the value, without a full stop: what would be accepted. It may be empty. */
  readonly detail: string;
  /**
   * Quoting of a string value. Upstream formats plain strings with `%q`, and strings with a named type, such as enumerations, as JSON.
   * Default: `json` for NotSupported, `go` for the others.
   */
  readonly quoted?: "go" | "json";
  /** A rule in the tree of the kind reports the same mistake (`coveredByRule`). Never shown. */
  readonly isCovered?: true;
}

/** The result of a check that has found nothing. */
export const noErrors: readonly FieldError[] = Object.freeze([]);

/** Marks an error of validation in code that a rule in the tree of the kind reports, too. See `Resource.rules`. */
export function coveredByRule(error: FieldError): FieldError {
  return { ...error, isCovered: true };
}

/** Reason and text of each type, and whether the text shows the value. */
export const fieldErrorTexts: Readonly<Record<FieldErrorType, { reason: string; text: string; value: boolean }>> = {
  NotFound: { reason: "FieldValueNotFound", text: "Not found", value: true },
  Required: { reason: "FieldValueRequired", text: "Required value", value: false },
  Duplicate: { reason: "FieldValueDuplicate", text: "Duplicate value", value: true },
  Invalid: { reason: "FieldValueInvalid", text: "Invalid value", value: true },
  TypeInvalid: { reason: "FieldValueTypeInvalid", text: "Invalid value", value: true },
  NotSupported: { reason: "FieldValueNotSupported", text: "Unsupported value", value: true },
  Forbidden: { reason: "FieldValueForbidden", text: "Forbidden", value: false },
  TooLong: { reason: "FieldValueTooLong", text: "Too long", value: false },
  TooMany: { reason: "FieldValueTooMany", text: "Too many", value: true },
  Internal: { reason: "InternalError", text: "Internal error", value: false },
};

function valueText(value: unknown, quoted: "go" | "json"): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return quoted === "json" ? goString(value) : goQuote(value);
  if (typeof value === "object") return goJson(value as Json); // validated values are JSON
  return typeof value === "number" && Number.isFinite(value) ? goNumber(value) : String(value);
}

/** Returns the error without its path, as in a Status cause: `Invalid value: "x": must be y`. */
export function fieldErrorBody(error: FieldError): string {
  const kind = fieldErrorTexts[error.type];
  const head = kind.value && error.value !== omittedValue
    ? `${kind.text}: ${valueText(error.value, error.quoted ?? (error.type === "NotSupported" ? "json" : "go"))}`
    : kind.text;
  return error.detail === "" ? head : `${head}: ${error.detail}`;
}
/** Returns the text of an error in the message of a Status: `spec.size: Invalid value: 7: must be even`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.path}: ${fieldErrorBody(error)}`;
}
/** Returns the reason of the Status cause, such as `FieldValueInvalid`. */
export function fieldErrorReason(error: FieldError): string {
  return fieldErrorTexts[error.type].reason;
}

/** Returns the error of a field that must be set: `spec.name: Required value`. `detail` may be "". */
export function required(path: string, detail: string): FieldError {
  return { type: "Required", path, detail };
}
/** Returns the error of a value that violates a rule: `spec.size: Invalid value: 7: must be even`. `detail` says the rule. */
export function invalid(path: string, value: unknown, detail: string): FieldError {
  return { type: "Invalid", path, value, detail };
}
/** Returns the error of a value that an earlier item of the list has, too. `path` is that of the later item. */
export function duplicate(path: string, value: unknown): FieldError {
  return { type: "Duplicate", path, value, detail: "" };
}
/** Returns the error of a field that must not be set or changed. `detail` says why. The value is not shown. */
export function forbidden(path: string, detail: string): FieldError {
  return { type: "Forbidden", path, detail };
}
/** Returns the error of a value that names something that does not exist. */
export function notFound(path: string, value: unknown): FieldError {
  return { type: "NotFound", path, value, detail: "" };
}
/** Returns the error of a value outside of an enumeration. The message has the `supported` values in quotes, in their order. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): FieldError {
  return {
    type: "NotSupported",
    path,
    value,
    detail: supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`,
  };
}
/** Returns the error of a text of more than `max` bytes. The value is not shown. */
export function tooLong(path: string, max: number): FieldError {
  return { type: "TooLong", path, detail: `may not be more than ${max} ${max === 1 ? "byte" : "bytes"}` };
}
/** Returns the error of a list of `actual` items, which may have `max` at most. */
export function tooMany(path: string, actual: number, max: number): FieldError {
  return { type: "TooMany", path, value: actual, detail: `must have at most ${max} ${max === 1 ? "item" : "items"}` };
}
