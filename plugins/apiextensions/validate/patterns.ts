/** Patterns of schemas, in the syntax RE2. */
import { spendSteps } from "../../../core/budget.ts";
import { celPatternSizeMax, estimatedSize } from "../../../core/pattern.ts";
import { re2js } from "../../../core/re2js.ts";

/** Steps of parsing one instruction of a pattern. */
const parseSteps = 0.5;

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
  const size = estimatedSize(pattern);
  // Matching takes time and memory in proportion to the size (Go allows 3.3 million instructions).
  if (size > celPatternSizeMax) return `error parsing regexp: expression too large: \`\``;
  spendSteps(size * parseSteps);
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
