import { type FieldError } from "../../../plugin.ts";
import { fieldErrorsLengthMax } from "../../../core/bounds.ts";

/**
 * Collects errors in the schemas of a definition, up to the size of a response. A definition of three megabytes can have a hundred thousand
 * errors, each with a long path.
 */
export class Findings {
  readonly list: FieldError[] = [];
  #length = 0;

  /** Whether no more errors fit. The caller can then stop. */
  get full(): boolean {
    return this.#length > fieldErrorsLengthMax;
  }
  get count(): number {
    return this.list.length;
  }
  add(error: FieldError): void {
    if (this.full) return;
    this.#length += error.path.length + error.detail.length + perErrorLength;
    this.list.push(error);
  }
  addAll(errors: readonly FieldError[]): void {
    for (const error of errors) this.add(error);
  }
}
/** Number of UTF-16 units that one error takes in addition to its path and detail. */
const perErrorLength = 32;
