/** Small rules that the parts of a pod share, in upstream's words. */
import { type FieldError, invalid, notSupported, required } from "../../../core/field-error.ts";
import { dns1123Label, dns1123Subdomain, portNumber, qualifiedName } from "../../../core/meta/names.ts";
import { utf8Length } from "../../../core/scalars/utf8.ts";
import { validateLocalPath } from "../../shared/volumes/rules.ts";

/** What is wrong with a text by one of the rules of names. */
export function named(rule: (text: string) => readonly string[], text: string, path: string): readonly FieldError[] {
  return rule(text).map((wrong) => invalid(path, text, wrong));
}
export function subdomain(text: string, path: string): readonly FieldError[] {
  return named(dns1123Subdomain, text, path);
}
export function label(text: string, path: string): readonly FieldError[] {
  return named(dns1123Label, text, path);
}
export function qualified(text: string, path: string): readonly FieldError[] {
  return named(qualifiedName, text, path);
}

/** A relative path that does not step back and does not begin with two dots. */
export function validateTargetPath(target: string, path: string): readonly FieldError[] {
  const reserved = target.startsWith("..") && !target.startsWith("../");
  return [...validateLocalPath(target, path), ...(reserved ? [invalid(path, target, "must not start with '..'")] : [])];
}

const fileModeMax = 0o777;
/** Permission bits. */
export function validateMode(mode: number | undefined, path: string): readonly FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= fileModeMax)) return [];
  return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

/** One of the words, unless it is absent. The words are told in the order given. */
export function oneOfWords(value: string | undefined, words: readonly string[], path: string): readonly FieldError[] {
  return value === undefined || words.includes(value) ? [] : [notSupported(path, value, words)];
}
/** As `oneOfWords`, where the empty text is as bad as none. */
export function neededWord(value: string | undefined, words: readonly string[], path: string): readonly FieldError[] {
  return (value ?? "") === "" ? [required(path, "")] : oneOfWords(value, words, path);
}

export function notNegative(value: number | bigint | undefined, path: string): readonly FieldError[] {
  return value === undefined || value >= 0 ? [] : [invalid(path, value, "must be greater than or equal to 0")];
}

const portNameMax = 15;
/** The name of a port. */
export function portName(name: string): readonly string[] {
  return [
    ...(utf8Length(name) > portNameMax ? [`must be no more than ${portNameMax} characters`] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
    ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(name.startsWith("-") || name.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
  ];
}

/** A port by its number or its name. */
export function validatePort(port: number | string, path: string): readonly FieldError[] {
  if (typeof port === "string") return named(portName, port, path);
  return portNumber(port).map((wrong) => invalid(path, port, wrong));
}

const searchDomainMax = 253;
const searchLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
/** A domain that a resolver searches in: underscores are let pass in its labels. */
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

/** A name that any shell leaves alone, and many that it does not. */
export function environmentName(name: string): readonly string[] {
  if (/^[ -<>-~]+$/.test(name)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Remembers a path in a volume, and finds that it is taken; `told` is the value that the finding shows. */
export type Claim = (target: string, told: string) => readonly FieldError[];
