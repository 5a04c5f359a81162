/** Patterns of schemas, in the syntax RE2. */
import { re2js } from "../../../core/re2js.ts";

/** Parses the patterns of one definition, each once. */
export class Patterns {
  readonly #known = new Map<string, string | undefined>();

  /** The error of a pattern with Go's text; undefined for a valid one. */
  mistake(pattern: string): string | undefined {
    if (!this.#known.has(pattern)) this.#known.set(pattern, mistakeOf(pattern));
    return this.#known.get(pattern);
  }
}

function mistakeOf(pattern: string): string | undefined {
  try {
    // A set parses its patterns when they are added, and compiles them at the first match: parsing takes a tenth of the time.
    new (re2js().RE2Set)().add(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Go also quotes an empty part of the pattern.
    return error.message.includes("`") ? error.message : `${error.message}: \`\``;
  }
}
