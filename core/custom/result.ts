/** Outcome of checking a value against one schema: errors, and how many checks have passed. */
import { spendSteps } from "../budget.ts";
import type { FieldError } from "../field-error.ts";
import { fieldErrorsLengthMax } from "../bounds.ts";

/** UTF-16 units that one error takes in a response at least, beside its path and its detail. */
const errorLength = 32;

/**
 * Collects errors. Of errors with the same text only the first is kept. Errors beyond the length of a response are not kept: the
 * response has no room for them, and they would take many times the memory of the value.
 */
export class Result {
  readonly errors: FieldError[] = [];
  /** Checks that have passed: of failed alternatives the one with most is reported. */
  passed = 0;
  #length = 0;
  /**
   * Details by type and path, once there are more than a few errors. Details are shared by many errors, so they are not copied into keys.
   * Most results are of failed alternatives and have one error.
   */
  #details: Map<string, Set<string>> | undefined;

  add(error: FieldError): void {
    spendSteps(errorSteps + error.detail.length / charactersPerStep);
    if (this.isFull || this.#has(error)) return;
    this.errors.push(error);
    this.#length += lengthOf(error);
  }
  /** Whether there is such an error. It is added if there is none. */
  #has(error: FieldError): boolean {
    const { errors } = this;
    if (errors.length < fewErrors) {
      return errors.some(({ type, path, detail }) => type === error.type && path === error.path && detail === error.detail);
    }
    if (this.#details === undefined) {
      this.#details = new Map();
      for (const each of errors) isKnown(this.#details, each);
    }
    return isKnown(this.#details, error);
  }
  merge(other: Result): void {
    this.passed += other.passed;
    for (const error of other.errors) this.add(error);
  }
  get isValid(): boolean {
    return this.errors.length === 0;
  }
  /** Whether further errors are left out. */
  get isFull(): boolean {
    return this.#length > fieldErrorsLengthMax;
  }
}

/** Errors that are compared one by one. */
const fewErrors = 4;

/** Whether the error has been there; it is now. */
function isKnown(known: Map<string, Set<string>>, { type, path, detail }: FieldError): boolean {
  const place = `${type} ${path}`, details = known.get(place);
  if (details === undefined) known.set(place, new Set([detail]));
  else if (details.has(detail)) return true;
  else details.add(detail);
  return false;
}

/** Steps of making one error, of which most are those of failed alternatives, and of adding it. */
const errorSteps = 40;
/** Characters of a detail that one step writes into the answer: that of an enumeration lists all of its values. */
const charactersPerStep = 8;

function lengthOf({ path, detail }: FieldError): number {
  return path.length + detail.length + errorLength;
}

/** Whether errors of a Result are all that it could keep. */
export function areCut(errors: readonly FieldError[]): boolean {
  let length = 0;
  for (const error of errors) length += lengthOf(error);
  return length > fieldErrorsLengthMax;
}
