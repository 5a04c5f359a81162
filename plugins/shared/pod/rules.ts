/** Validation rules that the parts of a pod share, with upstream's texts. */
import { type FieldError, invalid, notSupported, required } from "../../../plugin.ts";
import { dns1123Label, dns1123Subdomain, portNumber, qualifiedName, utf8Length } from "../../../toolbox.ts";
import { validateLocalPath } from "../volumes/rules.ts";

/** The errors of a name rule for a text. */
export function validateByRule(rule: (text: string) => readonly string[], text: string, path: string): readonly FieldError[] {
  return rule(text).map((wrong) => invalid(path, text, wrong));
}
export function subdomain(text: string, path: string): readonly FieldError[] {
  return validateByRule(dns1123Subdomain, text, path);
}
export function label(text: string, path: string): readonly FieldError[] {
  return validateByRule(dns1123Label, text, path);
}
export function validateQualifiedName(text: string, path: string): readonly FieldError[] {
  return validateByRule(qualifiedName, text, path);
}

/** Checks a relative path without ".." elements that does not start with "..". */
export function validateTargetPath(target: string, path: string): readonly FieldError[] {
  const reserved = target.startsWith("..") && !target.startsWith("../");
  return [...validateLocalPath(target, path), ...(reserved ? [invalid(path, target, "must not start with '..'")] : [])];
}

const fileModeMax = 0o777;
/** Checks permission bits. */
export function validateMode(mode: number | undefined, path: string): readonly FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= fileModeMax)) return [];
  return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

/** Checks an optional enum value. The error lists the values in the given order. */
export function validateEnum(value: string | undefined, values: readonly string[], path: string): readonly FieldError[] {
  return value === undefined || values.includes(value) ? [] : [notSupported(path, value, values)];
}
/** Checks a required enum value. An empty one counts as absent. */
export function validateRequiredEnum(value: string | undefined, values: readonly string[], path: string): readonly FieldError[] {
  return (value ?? "") === "" ? [required(path, "")] : validateEnum(value, values, path);
}

export function notNegative(value: number | bigint | undefined, path: string): readonly FieldError[] {
  return value === undefined || value >= 0 ? [] : [invalid(path, value, "must be greater than or equal to 0")];
}

const portNameMax = 15;
/** The problems of a port name. */
export function portName(name: string): readonly string[] {
  return [
    ...(utf8Length(name) > portNameMax ? [`must be no more than ${portNameMax} characters`] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
    ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(name.startsWith("-") || name.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
  ];
}

/** Checks a port number or a port name. */
export function validatePort(port: number | string, path: string): readonly FieldError[] {
  if (typeof port === "string") return validateByRule(portName, port, path);
  return portNumber(port).map((wrong) => invalid(path, port, wrong));
}

const searchDomainMax = 253;
const searchLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
/** The problems of a DNS search domain. Its labels may contain underscores. */
export function searchDomain(domain: string): readonly string[] {
  const right = domain.split(".").every((part) => /^_?[a-z0-9]/.test(part) && /^[-_a-z0-9]*[a-z0-9]$/.test(part));
  return [
    ...(domain.length > searchDomainMax ? [`must be no more than ${searchDomainMax} characters`] : []),
    ...(right ? [] : [
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an " +
      `alphanumeric character (e.g. 'example.com', regex used for validation is '${searchLabel}(\\.${searchLabel})*')`,
    ]),
  ];
}

/** The problems of an environment variable name: printable ASCII without "=" (relaxed validation, KEP-4369). */
export function environmentName(name: string): readonly string[] {
  if (/^[ -<>-~]+$/.test(name)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Registers a path in a volume. Returns an error with the value `shown` if the path is taken. */
export type RegisterPath = (target: string, shown: string) => readonly FieldError[];
