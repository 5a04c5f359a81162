/** Outcome of checking a value against one schema: errors, and how many checks have passed. */
import type { FieldError } from "../field-error.ts";

/** Collects errors. Of errors with the same text only the first is kept. */
export class Result {
  readonly errors: FieldError[] = [];
  /** Checks that have passed: of failed alternatives the one with most is reported. */
  passed = 0;
  readonly #texts = new Set<string>();

  add(error: FieldError): void {
    const text = `${error.type} ${error.path} ${error.detail}`;
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.errors.push(error);
  }
  merge(other: Result): void {
    this.passed += other.passed;
    for (const error of other.errors) this.add(error);
  }
  get isValid(): boolean {
    return this.errors.length === 0;
  }
}
