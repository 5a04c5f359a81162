/** Rules of names that only kinds of this family have, with upstream's texts. */
import { type FieldError, invalid, required } from "../../plugin.ts";
import { dns1123Subdomain, utf8Length } from "../../toolbox.ts";

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

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
    ...(/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)
      ? []
      : [invalid(path, rest, `Invalid path (regex used for validation is '${pathPattern}')`)]),
  ];
}

const hostBytesMax = 253;
const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const wildcardText =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric " +
  "characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is " +
  `'\\*\\.${labelPattern}(\\.${labelPattern})*')`;

/** The problems of a host with a star: the star must be the whole first label. */
export function wildcardSubdomain(host: string): readonly string[] {
  const [first, ...labels] = host.split(".");
  const right = first === "*" && labels.length > 0 && labels.every((each) => /^[a-z0-9]/.test(each) && /^[-a-z0-9]*[a-z0-9]$/.test(each));
  return [
    ...(utf8Length(host) > hostBytesMax ? [`must be no more than ${hostBytesMax} characters`] : []),
    ...(right ? [] : [wildcardText]),
  ];
}

/** Checks a host: a DNS name, or one with a star. */
export function validateHost(host: string, path: string): readonly FieldError[] {
  return (host.includes("*") ? wildcardSubdomain(host) : dns1123Subdomain(host)).map((wrong) => invalid(path, host, wrong));
}
