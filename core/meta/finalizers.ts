import { type FieldError, forbidden, invalid, noErrors } from "../field-error.ts";
import type { Names } from "../names.ts";
import { goQuote } from "../tree/go-quote.ts";
import { qualifiedName } from "./names.ts";
import { fieldErrorsOfListMax } from "./bounds.ts";

/** The finalizer of a deletion that orphans the dependents. It is removed when their owner references have been removed. */
export const orphanFinalizer = "orphan";
/** The finalizer of a deletion that waits for the dependents. It is removed when they have been deleted. */
export const foregroundFinalizer = "foregroundDeletion";

/** Validates the form of one finalizer. */
export function validateFinalizerShape(finalizer: string, path: string): readonly FieldError[] {
  return qualifiedName(finalizer).map((wrong) => invalid(path, finalizer, wrong));
}

/** Validates that a finalizer without a slash is a standard finalizer of the platform. */
export function validateStandardFinalizer(finalizer: string, path: string, names: Names): readonly FieldError[] {
  if (finalizer.includes("/") || finalizer === orphanFinalizer || finalizer === foregroundFinalizer || finalizer === names.platform) {
    return [];
  }
  return [invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")];
}

/** Validates the form of each finalizer. `orphan` and `foregroundDeletion` are mutually exclusive. */
export function validateFinalizers(finalizers: readonly string[] | undefined, path: string): readonly FieldError[] {
  if (!finalizers) return noErrors;
  const errors: FieldError[] = [];
  for (const each of finalizers) {
    if (errors.length >= fieldErrorsOfListMax) break;
    for (const wrong of qualifiedName(each)) errors.push(invalid(path, each, wrong));
  }
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    errors.push(invalid(path, finalizers, `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`));
  }
  return errors;
}

/** Validates that an object under deletion gets no new finalizers. */
export function validateNoNewFinalizers(
  next: readonly string[] | undefined,
  prior: readonly string[] | undefined,
  path: string,
): readonly FieldError[] {
  const known = new Set(prior);
  const added = [...new Set(next)].filter((each) => !known.has(each)).sort();
  if (added.length === 0) return [];
  const shown = `[]string{${added.map(goQuote).join(", ")}}`;
  return [forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`)];
}
