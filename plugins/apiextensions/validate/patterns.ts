/** Patterns of schemas, in the syntax RE2. */
import { RE2JS } from "re2js";

/** Compiles the patterns of one definition, each once. */
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
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Go also quotes an empty part of the pattern.
    return error.message.includes("`") ? error.message : `${error.message}: \`\``;
  }
}
