/** Validation rules that volume sources share, with upstream's texts. */
import { type FieldError, invalid, required } from "../../../plugin.ts";
import { dns1123Label, dns1123Subdomain } from "../../../toolbox.ts";

/** Checks that the strings and lists under these keys are not empty. */
export function requiredKeys(source: object, path: string, ...keys: readonly string[]): readonly FieldError[] {
  const values = source as Readonly<Record<string, string | readonly string[] | undefined>>; // `as`: callers pass keys of strings and lists
  return keys.filter((key) => (values[key]?.length ?? 0) === 0).map((key) => required(`${path}.${key}`, ""));
}

export function validateSubdomain(value: string, path: string): readonly FieldError[] {
  return dns1123Subdomain(value).map((wrong) => invalid(path, value, wrong));
}
export function validateLabelText(value: string, path: string): readonly FieldError[] {
  return dns1123Label(value).map((wrong) => invalid(path, value, wrong));
}

/** Checks that a path has no ".." element. */
export function validateNoBacksteps(target: string, path: string): readonly FieldError[] {
  return target.split("/").includes("..") ? [invalid(path, target, "must not contain '..'")] : [];
}

/** Checks a relative path without ".." elements. */
export function validateLocalPath(target: string, path: string): readonly FieldError[] {
  return [...(target.startsWith("/") ? [invalid(path, target, "must be a relative path")] : []), ...validateNoBacksteps(target, path)];
}

/** Checks a range. `shownMin` replaces `min` in the error's text. */
export function between(value: number, min: number, max: number, path: string, shownMin = min): readonly FieldError[] {
  return value < min || value > max ? [invalid(path, value, `must be between ${shownMin} and ${max}, inclusive`)] : [];
}

/** Checks name and namespace of a reference to a secret. */
export function validateSecretReference(
  reference: { readonly name?: string; readonly namespace?: string },
  path: string,
): readonly FieldError[] {
  const { name = "", namespace = "" } = reference;
  return [
    ...(name === "" ? [required(`${path}.name`, "")] : validateSubdomain(name, `${path}.name`)),
    ...(namespace === "" ? [required(`${path}.namespace`, "")] : validateLabelText(namespace, `${path}.namespace`)),
  ];
}
