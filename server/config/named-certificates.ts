/** --tls-sni-cert-key: certificates by the names that clients ask for. */
import { valueText } from "../../core/value-text.ts";

/** A certificate, its key and the names that it is for; without names, for those in it. */
export interface NamedPair {
  readonly cert: string;
  readonly key: string;
  /** Lower-case; `*.example.com` stands for one label. */
  readonly names: readonly string[];
}

/**
 * Reads `cert,key` and `cert,key:name,name`, any number of times. The items of all occurrences are one list, in which paths are known by
 * their slash.
 */
export function namedPairs(items: readonly string[]): { readonly pairs: readonly NamedPair[]; readonly mistakes: readonly string[] } {
  const pairs: { cert: string; key: string; names: string[] }[] = [], mistakes: string[] = [];
  const wrong = (text: string) => mistakes.push(`flag "--tls-sni-cert-key": ${text}`);
  let cert: string | undefined;
  for (const item of items) {
    if (!item.includes("/")) {
      const last = pairs.at(-1);
      if (cert !== undefined || last === undefined || last.names.length === 0) {
        wrong(`${valueText(item)} must be a path with a slash, such as ./${item}`);
      } else last.names.push(item.toLowerCase());
    } else if (cert === undefined) cert = item;
    else {
      const colon = item.lastIndexOf(":"), hasName = colon > item.lastIndexOf("/");
      pairs.push({ cert, key: hasName ? item.slice(0, colon) : item, names: hasName ? [item.slice(colon + 1).toLowerCase()] : [] });
      cert = undefined;
    }
  }
  if (cert !== undefined) wrong(`the certificate ${valueText(cert)} needs the path of its key`);
  for (const name of pairs.flatMap(({ names }) => names)) if (!isPattern(name)) wrong(`${valueText(name)} is no name of a server`);
  return { pairs, mistakes };
}

function isPattern(name: string): boolean {
  return name.split(".").every((label, index) => (index === 0 && label === "*") || /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}
