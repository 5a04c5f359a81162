/** Keys of extra values of users: a domain and a path. */
import { type FieldError, invalid, required } from "../../../core/field-error.ts";
import { dns1123Subdomain } from "../../../core/meta/names.ts";

const pathCharacters = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const signs = "/-._~%!$&'()*+,;=:";
const reserved = ["kubernetes.io", "k8s.io"];

/** The mistakes of a key, with upstream's messages. */
export function validateExtraKey(key: string, path: string): readonly FieldError[] {
  const errors = [...domainErrors(key, path)];
  if (key !== key.toLowerCase()) errors.push(invalid(path, key, "must be lowercase"));
  const slash = key.indexOf("/"), domain = slash < 0 ? "" : key.slice(0, slash);
  if (reserved.some((each) => domain === each || domain.endsWith(`.${each}`))) {
    errors.push(invalid(path, key, "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"));
  }
  return errors;
}

function domainErrors(key: string, path: string): readonly FieldError[] {
  if (key === "") return [required(path, "")];
  const slash = key.indexOf("/"), domain = key.slice(0, slash), rest = key.slice(slash + 1);
  if (slash <= 0 || rest === "") return [invalid(path, key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = dns1123Subdomain(domain).map((detail) => invalid(path, domain, detail));
  if (isHttpPath(rest)) return errors;
  return [...errors, invalid(path, rest, `Invalid path (regex used for validation is '${pathCharacters}')`)];
}

function isHttpPath(text: string): boolean {
  for (const each of text) {
    const isWord = each >= "a" && each <= "z" || each >= "A" && each <= "Z" || each >= "0" && each <= "9";
    if (!isWord && !signs.includes(each)) return false;
  }
  return true;
}
