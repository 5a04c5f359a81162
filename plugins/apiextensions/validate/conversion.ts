/** Validates the conversion between versions. In paths, fields have the names of upstream's internal form. */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../plugin.ts";
import { append, dns1035Label } from "../../../toolbox.ts";
import type { Conversion } from "../schema.ts";
import { validateCaBundle, validateService, validateWebhookUrl } from "../../shared/webhook-client-config.ts";

const reviewVersions = ["v1", "v1beta1"];

/** Whether the list is empty or names a supported version of ConversionReview. */
export function isRecognized(versions: readonly string[]): boolean {
  return versions.length === 0 || versions.some((each) => reviewVersions.includes(each));
}

export interface ConversionOptions {
  readonly requireRecognizedVersion: boolean;
  readonly allowInvalidCaBundle: boolean;
}

export function validateConversion(conversion: Conversion | undefined, path: string, options: ConversionOptions): readonly FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  const errors = validateChoice(strategy, ["None", "Webhook"], `${path}.strategy`);
  if (strategy !== "Webhook") {
    const rule = "should not be set when strategy is not set to Webhook";
    if (clientConfig !== undefined) errors.push(forbidden(`${path}.webhookClientConfig`, rule));
    if (conversionReviewVersions.length > 0) errors.push(forbidden(`${path}.conversionReviewVersions`, rule));
    return errors;
  }
  const at = `${path}.webhookClientConfig`;
  if (clientConfig === undefined) errors.push(required(at, "required when strategy is set to Webhook"));
  else {
    const { url, service, caBundle = "" } = clientConfig;
    if ((url === undefined) === (service === undefined)) errors.push(required(at, "exactly one of url or service is required"));
    else if (url !== undefined) append(errors, validateWebhookUrl(url, `${at}.url`));
    else if (service !== undefined) append(errors, validateService(service, `${at}.service`));
    if (caBundle !== "" && !options.allowInvalidCaBundle) append(errors, validateCaBundle(caBundle, `${at}.caBundle`));
  }
  return [
    ...errors,
    ...validateReviewVersions(conversionReviewVersions, `${path}.conversionReviewVersions`, options.requireRecognizedVersion),
  ];
}

/** Returns the error of a value that is none of the choices. */
export function validateChoice(value: string, choices: readonly string[], path: string): FieldError[] {
  if (value === "") return [required(path, "")];
  return choices.includes(value) ? [] : [{ ...notSupported(path, value, choices), quoted: "go" }];
}

function validateReviewVersions(versions: readonly string[], path: string, requireRecognized: boolean): readonly FieldError[] {
  if (versions.length === 0) return [required(path, "")];
  const errors: FieldError[] = [], seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalid(`${path}[${i}]`, version, "duplicate version"));
    else for (const wrong of dns1035Label(version)) errors.push(invalid(`${path}[${i}]`, version, wrong));
    seen.add(version);
  }
  if (requireRecognized && !isRecognized(versions)) {
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  }
  return errors;
}
