/** Errors after which rules in CEL are not run, because a value lacks the type or size that they require. */
import { type FieldError, type FieldErrorType, invalid } from "../field-error.ts";

const blocking: ReadonlySet<FieldErrorType> = new Set(["NotSupported", "Required", "TooLong", "TooMany", "TypeInvalid"]);

export function blocksRules(errors: readonly FieldError[]): boolean {
  return errors.some(({ type }) => blocking.has(type));
}

/** The error that the response has in place of the errors of the rules. */
export const notChecked: FieldError = Object.freeze(invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
));
