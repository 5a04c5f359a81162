/** Parses and validates the text of --authentication-config. */
import { fieldErrorText } from "../../../../core/field-error.ts";
import type { FieldError } from "../../../../core/field-error.ts";
import { readConfigObject } from "../../../config/config-object.ts";
import { AuthenticationConfiguration } from "./schema.ts";
import { validateConfiguration, type ValidationContext } from "./validate.ts";

const versions = Object.freeze(["v1", "v1beta1", "v1alpha1"]);

/** Throws an Error for malformed text, and a ConfigurationError that lists every violated rule. `more` are additional rules. */
export function readAuthenticationConfiguration(
  text: string,
  groupDomain: string,
  context: ValidationContext,
  more: (configuration: AuthenticationConfiguration) => readonly FieldError[] = () => [],
): AuthenticationConfiguration {
  const configuration: AuthenticationConfiguration = readConfigObject(text, {
    kind: "AuthenticationConfiguration",
    group: `apiserver.config.${groupDomain}`,
    versions,
    schema: AuthenticationConfiguration,
  });
  checkConfiguration([...validateConfiguration(configuration, context), ...more(configuration)]);
  return configuration;
}

/** A configuration violates rules. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Throws a ConfigurationError that lists the errors, if there are any. */
export function checkConfiguration(errors: readonly FieldError[]): void {
  const texts = [...new Set(errors.map(fieldErrorText))];
  if (texts.length > 0) throw new ConfigurationError(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
}
