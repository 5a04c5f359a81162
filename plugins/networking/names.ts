/** Rules of names that only kinds of this family have, with upstream's texts. */
import { type FieldError, invalid } from "../../plugin.ts";
import { dns1123Subdomain, utf8Length } from "../../toolbox.ts";

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
