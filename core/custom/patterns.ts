/** Patterns of schemas, in RE2 syntax: matching is linear in the text. */
import { limits } from "../limits.ts";
import { re2js } from "../re2js.ts";

export type Pattern = { readonly matches: (text: string) => boolean } | { readonly error: string };

/** Cache of compiled patterns. It is cleared when it is full, because few patterns are in use at a time. */
const compiled = new Map<string, Pattern>();

/** The compiled pattern, or the reason why it cannot be compiled. */
export function patternOf(text: string): Pattern {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= limits.patternsKeptMax) compiled.clear();
  const made = compile(text);
  compiled.set(text, made);
  return made;
}

function compile(text: string): Pattern {
  try {
    const pattern = re2js().RE2JS.compile(text);
    return { matches: (value) => pattern.matcher(value).find() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
