/** Checks the patterns of schemas, which have the syntax of RE2. */
import { spendSteps } from "../../../core/budget.ts";
import { celPatternSizeMax, estimatedSize } from "../../../core/pattern.ts";
import { re2js } from "../../../core/re2js.ts";

/** Number of steps that parsing one instruction of a pattern counts as. */
const parseSteps = 0.5;

/** Parses the patterns of one definition, each of them once. */
export class Patterns {
  readonly #known = new Map<string, string | undefined>();

  /** Returns the error of a pattern in Go's words; undefined for a valid one. */
  mistake(pattern: string): string | undefined {
    if (!this.#known.has(pattern)) this.#known.set(pattern, mistakeOf(pattern));
    return this.#known.get(pattern);
  }
}

function mistakeOf(pattern: string): string | undefined {
  const size = estimatedSize(pattern);
  // The time and memory of matching grow with this size. Go would allow 3.3 million instructions.
  if (size > celPatternSizeMax) return `error parsing regexp: expression too large: \`\``;
  spendSteps(size * parseSteps);
  try {
    // A set parses its patterns when they are added, and compiles them only at the first match. Parsing takes a tenth of the time.
    new (re2js().RE2Set)().add(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Go also quotes an empty part of a pattern.
    return error.message.includes("`") ? error.message : `${error.message}: \`\``;
  }
}
