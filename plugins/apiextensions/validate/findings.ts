import { type FieldError } from "../../../plugin.ts";
import { fieldErrorsLengthMax } from "../../../core/bounds.ts";

/**
 * Errors in the schemas of a definition, as many as a response can contain: a definition of three megabytes can have a
 * hundred thousand errors, each with a long path.
 */
export class Findings {
  readonly list: FieldError[] = [];
  #length = 0;

  /** The collection is full: the walk can end. */
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
/** UTF-16 units around path and detail. */
const perErrorLength = 32;
