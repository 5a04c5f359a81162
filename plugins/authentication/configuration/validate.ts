/** The rules of AuthenticationConfiguration, with upstream's order and messages. */
import { append } from "../../../core/append.ts";
import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from "../../../core/field-error.ts";
import { validateClaims } from "./validate-claims.ts";
import type { AuthenticationConfiguration, IssuerConfig } from "./schema.ts";
import { valueText } from "../../../core/value-text.ts";
import { bound } from "../../../core/bound.ts";

/** Issuers of tokens that one configuration may name (kube-apiserver's bound). */
export const jwtIssuersMax = bound(64);

type Issuer = IssuerConfig["issuer"];

export interface ValidationContext {
  /** Issuers that the configuration must not contain: those of service account tokens. */
  readonly disallowedIssuers: readonly string[];
  /** Throws for text without valid PEM certificates. */
  readonly checkCertificates: (pem: string) => void;
}

export function validateConfiguration(
  { jwt = [], anonymous }: AuthenticationConfiguration,
  context: ValidationContext,
): readonly FieldError[] {
  if (jwt.length > jwtIssuersMax) return [tooMany("jwt", jwt.length, jwtIssuersMax)];
  const errors: FieldError[] = [];
  const issuers = new Set<string>(), discoveryUrls = new Set<string>();
  jwt.forEach((authenticator, index) => {
    const path = `jwt[${index}]`;
    append(errors, validateAuthenticator(authenticator, path, context));
    const { url = "", discoveryURL = "" } = authenticator.issuer;
    if (issuers.has(url)) errors.push(duplicate(`${path}.issuer.url`, url));
    issuers.add(url);
    if (discoveryURL !== "" && discoveryUrls.has(discoveryURL)) errors.push(duplicate(`${path}.issuer.discoveryURL`, discoveryURL));
    discoveryUrls.add(discoveryURL);
  });
  if (anonymous !== undefined && !anonymous.enabled && (anonymous.conditions ?? []).length > 0) {
    errors.push(invalid("anonymous.conditions", anonymous.conditions, "enabled should be set to true when conditions are defined"));
  }
  return errors;
}

function validateAuthenticator(authenticator: IssuerConfig, path: string, context: ValidationContext): readonly FieldError[] {
  return [...validateIssuer(authenticator.issuer, `${path}.issuer`, context), ...validateClaims(authenticator, path)];
}

function validateIssuer(issuer: Issuer, path: string, { disallowedIssuers, checkCertificates }: ValidationContext): readonly FieldError[] {
  const { url = "", discoveryURL = "", certificateAuthority = "", egressSelectorType = "" } = issuer;
  const errors: FieldError[] = url === "" ? [required(`${path}.url`, "")] : [...validateUrl(url, `${path}.url`, disallowedIssuers)];
  if (discoveryURL !== "") {
    if (url !== "" && withoutSlashes(url) === withoutSlashes(discoveryURL)) {
      errors.push(invalid(`${path}.discoveryURL`, discoveryURL, "discoveryURL must be different from URL"));
    }
    append(errors, validateUrl(discoveryURL, `${path}.discoveryURL`, []));
  }
  append(errors, validateAudiences(issuer, path));
  if (certificateAuthority !== "") {
    try {
      checkCertificates(certificateAuthority);
    } catch (error) {
      errors.push(invalid(`${path}.certificateAuthority`, "<omitted>", error instanceof Error ? error.message : String(error)));
    }
  }
  if (egressSelectorType !== "") {
    const why = "egress selectors are not supported";
    errors.push({ ...invalid(`${path}.egressSelectorType`, egressSelectorType, why), quoted: "json" });
  }
  return errors;
}

function withoutSlashes(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === "/") end--;
  return url.slice(0, end);
}

function validateUrl(text: string, path: string, disallowed: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (disallowed.includes(text)) {
    errors.push(invalid(path, text, `URL must not overlap with disallowed issuers: [${disallowed.toSorted().join(" ")}]`));
  }
  const url = URL.parse(text);
  if (url === null) return [...errors, invalid(path, text, "URL scheme must be https")];
  if (url.protocol !== "https:") errors.push(invalid(path, text, "URL scheme must be https"));
  if (url.username !== "" || url.password !== "") errors.push(invalid(path, text, "URL must not contain a username or password"));
  if (url.search !== "") errors.push(invalid(path, text, "URL must not contain a query"));
  if (url.hash !== "") errors.push(invalid(path, text, "URL must not contain a fragment"));
  return errors;
}

function validateAudiences({ audiences = [], audienceMatchPolicy: policy = "" }: Issuer, issuerPath: string): readonly FieldError[] {
  const path = `${issuerPath}.audiences`, policyPath = `${issuerPath}.audienceMatchPolicy`;
  if (audiences.length === 0) return [required(path, `at least one ${path} is required`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  audiences.forEach((audience, index) => {
    if (audience === "") errors.push(required(`${path}[${index}]`, ""));
    if (seen.has(audience)) errors.push(duplicate(`${path}[${index}]`, audience));
    seen.add(audience);
  });
  const wrongPolicy = (detail: string) => void errors.push({ ...invalid(policyPath, policy, detail), quoted: "json" });
  if (audiences.length > 1 && policy !== "MatchAny") wrongPolicy("audienceMatchPolicy must be MatchAny for multiple audiences");
  if (audiences.length === 1 && policy !== "" && policy !== "MatchAny") {
    wrongPolicy("audienceMatchPolicy must be empty or MatchAny for single audience");
  }
  return errors;
}

/** The fields that a reload must not change. */
export function validateReload(next: AuthenticationConfiguration, first: AuthenticationConfiguration): readonly FieldError[] {
  return valueText(next.anonymous) === valueText(first.anonymous)
    ? []
    : [forbidden("anonymous", "changed from initial configuration file")];
}
