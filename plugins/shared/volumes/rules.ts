/** Small rules that sources of volumes share, in upstream's words. */
import { type FieldError, invalid, required } from "../../../core/field-error.ts";
import { dns1123Label, dns1123Subdomain } from "../../../core/meta/names.ts";

/** Finds what is empty of the named texts and lists, each at its own path. */
export function requiredKeys(source: object, path: string, ...keys: readonly string[]): readonly FieldError[] {
  const values = source as Readonly<Record<string, string | readonly string[] | undefined>>; // callers name texts and lists
  return keys.filter((key) => (values[key]?.length ?? 0) === 0).map((key) => required(`${path}.${key}`, ""));
}

export function validateSubdomain(value: string, path: string): readonly FieldError[] {
  return dns1123Subdomain(value).map((wrong) => invalid(path, value, wrong));
}
export function validateLabelText(value: string, path: string): readonly FieldError[] {
  return dns1123Label(value).map((wrong) => invalid(path, value, wrong));
}

/** No segment of the path steps back. */
export function validateNoBacksteps(target: string, path: string): readonly FieldError[] {
  return target.split("/").includes("..") ? [invalid(path, target, "must not contain '..'")] : [];
}

/** A relative path without steps back. */
export function validateLocalPath(target: string, path: string): readonly FieldError[] {
  return [...(target.startsWith("/") ? [invalid(path, target, "must be a relative path")] : []), ...validateNoBacksteps(target, path)];
}

export function between(value: number, min: number, max: number, path: string, told = min): readonly FieldError[] {
  return value < min || value > max ? [invalid(path, value, `must be between ${told} and ${max}, inclusive`)] : [];
}

/** Both parts of a reference to a secret, each in its form. */
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
