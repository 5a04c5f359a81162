/** Names of properties as identifiers of CEL: `a-b` is `a__dash__b`, `in` is `__in__`. */

/** Words that cannot be identifiers. */
const reserved: ReadonlySet<string> = new Set(
  ("true false null in as break const continue else for function if import let loop package namespace return var void while").split(" "),
);

const escapes: Readonly<Record<string, string>> = { "__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__" };
const originals: ReadonlyMap<string, string> = new Map(Object.entries(escapes).map(([text, escaped]) => [escaped.slice(2, -2), text]));

/** Returns the identifier of a property; undefined if it has none. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (found) => escapes[found]!);
}

/** Whether a word cannot be an identifier. */
export function isReserved(word: string): boolean {
  return reserved.has(word);
}

/** Returns the property of an identifier; undefined if it contains an unknown escape sequence. */
export function unescapeName(identifier: string): string | undefined {
  let name = "", from = 0;
  for (let start = identifier.indexOf("__"); start >= 0; start = identifier.indexOf("__", start)) {
    const end = identifier.indexOf("_", start + 2), word = identifier.slice(start + 2, end);
    // A sequence is two underscores, a word without any, and two underscores.
    if (end < 0) break;
    if (word === "" || identifier[end + 1] !== "_") {
      start = word === "" ? start + 1 : end;
      continue;
    }
    const original = originals.get(word);
    if (original === undefined) return reserved.has(word) && word.length + 4 === identifier.length ? word : undefined;
    name += identifier.slice(from, start) + original;
    from = start = end + 2;
  }
  return name + identifier.slice(from);
}
