/** Checks that upstream declares with its types, for kinds whose rules are compared with their validation in code (see `Resource.rules`). */
import { required } from "../field-error.ts";
import { type Checks, fieldChecks } from "./field-checks.ts";

/**
 * Makes a function that returns the errors of the declared checks of an object; undefined for a schema without such checks.
 *
 * @param prior the stored object, at an update
 */
export const declaredChecks: Checks = fieldChecks(({ mustBeSet }) => mustBeSet ? { missing: (path) => [required(path, "")] } : undefined);
