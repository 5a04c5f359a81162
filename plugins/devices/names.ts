/** Checks of the names of drivers, pools, requests, devices, attributes and capacities. */
import { type FieldError, invalid, required, tooLong } from "../../plugin.ts";
import { dns1123Label, dns1123Subdomain, goQuote, labelValue, qualifiedName, utf8Length } from "../../toolbox.ts";
import { validateCsiDriverName } from "../shared/csi-driver-name.ts";
import { validateByRule } from "../shared/pod/rules.ts";
import { identifierBytesMax, poolNameBytesMax } from "./bounds.ts";

/** A driver's name follows the rule of CSI drivers. */
export const validateDriver = validateCsiDriverName;

export function validateLabel(name: string, path: string): readonly FieldError[] {
  return validateByRule(dns1123Label, name, path);
}

/** Checks the name of a counter or a set of counters. */
export function validateRequiredLabel(name: string, path: string): readonly FieldError[] {
  return name === "" ? [required(path, "")] : validateLabel(name, path);
}

export function validateRequiredSubdomain(name: string, path: string): readonly FieldError[] {
  return name === "" ? [required(path, "")] : validateByRule(dns1123Subdomain, name, path);
}

/** Checks the name of a pool: subdomains with slashes in between. */
export function validatePool(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path, "")];
  return [
    ...(utf8Length(name) > poolNameBytesMax ? [tooLong(path, poolNameBytesMax)] : []),
    ...name.split("/").flatMap((part) => validateByRule(dns1123Subdomain, part, path)),
  ];
}

const identifierText =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or " +
  "'_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function validateIdentifier(name: string, path: string): readonly FieldError[] {
  return [
    ...(utf8Length(name) > identifierBytesMax ? [tooLong(path, identifierBytesMax)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? [] : [invalid(path, name, identifierText)]),
  ];
}

/** Checks the name of an attribute or capacity, with or without a domain. As upstream, a name with two slashes is not checked. */
export function validateQualified(name: string, path: string): readonly FieldError[] {
  const [first, second, ...more] = name.split("/");
  if (second === undefined) return validateIdentifier(first!, path); // `!`: a split has one part at least
  if (more.length > 0) return [];
  return [
    ...(first === "" ? [invalid(path, "", "the domain must not be empty")] : validateDriver(first!, path)),
    ...(second === "" ? [invalid(path, "", "the name must not be empty")] : validateIdentifier(second, path)),
  ];
}

/** Checks the name of an attribute with its domain. */
export function validateFullyQualified(name: string, path: string): readonly FieldError[] {
  const needsDomain = {
    ...invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash"),
    quoted: "json",
  } as const;
  return [...validateQualified(name, path), ...(name.includes("/") ? [] : [needsDomain])];
}

/** Checks the name of a condition or the key of a taint. */
export function validateLabelName(name: string, path: string): readonly FieldError[] {
  return validateByRule(qualifiedName, name, path);
}

export function validateLabelValue(value: string, path: string): readonly FieldError[] {
  return validateByRule(labelValue, value, path);
}

const uidText = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

/** Checks a UUID in its usual form. Other forms that upstream reads give the same error as it. */
export function validateUid(uid: string, path: string): readonly FieldError[] {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(uid)) return [];
  const wrong = uidMistake(uid);
  return [invalid(path, uid, wrong === undefined ? uidText : `error validating uid: ${wrong}`)];
}

/** Why a text is no UUID in any of its forms: plain, with hyphens, in braces, as a URN. */
function uidMistake(uid: string): string | undefined {
  const plain = /^[0-9a-fA-F]{32}$/, hyphens = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
  const length = utf8Length(uid);
  switch (length) {
    case 32:
      return plain.test(uid) ? undefined : "invalid UUID format";
    case 36:
      return hyphens.test(uid) ? undefined : "invalid UUID format";
    case 38:
      if (!uid.startsWith("{") || !uid.endsWith("}")) return "invalid bracketed UUID format";
      return hyphens.test(uid.slice(1, -1)) ? undefined : "invalid UUID format";
    case 45:
      if (uid.slice(0, 9).toLowerCase() !== "urn:uuid:") return `invalid urn prefix: ${goQuote(uid.slice(0, 9))}`;
      return hyphens.test(uid.slice(9)) ? undefined : "invalid UUID format";
    default:
      return `invalid UUID length: ${length}`;
  }
}
