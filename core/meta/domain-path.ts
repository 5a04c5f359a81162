/** Paths that begin with a domain, with upstream's texts. */
import { type FieldError, invalid, required } from "../field-error.ts";
import { dns1123Subdomain } from "./names.ts";

const pathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Checks a path that begins with a domain, such as `example.com/controller`. */
export function validateDomainPath(text: string, path: string): readonly FieldError[] {
  if (text === "") return [required(path, "")];
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1) {
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const domain = text.slice(0, slash), rest = text.slice(slash + 1);
  return [
    ...dns1123Subdomain(domain).map((wrong) => invalid(path, domain, wrong)),
    ...(pathPattern.test(rest)
      ? []
      : [invalid(path, rest, `Invalid path (regex used for validation is '${pathPattern.source.slice(1, -1)}')`)]),
  ];
}
