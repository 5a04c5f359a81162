/** Parses and validates the text of --authentication-config. */
import { fieldErrorText } from "../../../core/field-error.ts";
import type { FieldError } from "../../../core/field-error.ts";
import { decodeConfigObject } from "../../../core/config/config-object.ts";
import { faultsOfFields, FaultyText } from "../../../core/config/mistake.ts";
import { AuthenticationConfiguration } from "./schema.ts";
import { validateConfiguration, type ValidationContext } from "./validate.ts";

const versions = Object.freeze(["v1", "v1beta1", "v1alpha1"]);

/**
 * Throws a FaultyText for malformed text, and a ConfigurationError that lists every violated rule. The faults of the first include violated rules, as far as
 * the text can be read. `more` are additional rules.
 */
export function readAuthenticationConfiguration(
  text: string,
  groupDomain: string,
  context: ValidationContext,
  more: (configuration: AuthenticationConfiguration) => readonly FieldError[] = () => [],
): AuthenticationConfiguration {
  const { object, error } = decodeConfigObject<AuthenticationConfiguration>(text, {
    kind: "AuthenticationConfiguration",
    group: `apiserver.config.${groupDomain}`,
    versions,
    schema: AuthenticationConfiguration,
  });
  const errors = object === undefined ? [] : [...validateConfiguration(object, context), ...more(object)];
  if (error !== undefined) throw error.and(faultsOfFields(errors));
  checkConfiguration(errors);
  return object!; // Without an error there is one.
}

/** A configuration violates rules. */
export class ConfigurationError extends FaultyText {
  override readonly name = "ConfigurationError";
}

/** Throws a ConfigurationError that lists the errors, if there are any. */
export function checkConfiguration(errors: readonly FieldError[]): void {
  const texts = [...new Set(errors.map(fieldErrorText))];
  if (texts.length > 0) throw new ConfigurationError(texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`, faultsOfFields(errors));
}
