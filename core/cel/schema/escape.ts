/** Names of properties as identifiers of CEL: `a-b` is `a__dash__b`, `in` is `__in__`. */

/** Words that cannot be identifiers. */
const reserved: ReadonlySet<string> = new Set(
  ("true false null in as break const continue else for function if import let loop package namespace return var void while").split(" "),
);

const escapes: Readonly<Record<string, string>> = { "__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__" };
const originals: ReadonlyMap<string, string> = new Map(Object.entries(escapes).map(([text, escaped]) => [escaped.slice(2, -2), text]));

/** The identifier of a property; undefined if it has none. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (found) => escapes[found]!);
}

/** The property of an identifier; undefined if it contains an unknown escape sequence. */
export function unescapeName(identifier: string): string | undefined {
  let isKnown = true;
  const name = identifier.replace(/__[^_]{1,200}__/g, (found) => {
    const word = found.slice(2, -2), original = originals.get(word);
    if (original !== undefined) return original;
    if (!reserved.has(word) || found.length !== identifier.length) isKnown = false;
    return word;
  });
  return isKnown ? name : undefined;
}
