/** The comparison of a status with what is stored of it. */
import { sameValue } from "../../../toolbox.ts";

/**
 * Whether a write of `next` would change nothing of `stored`. A member that is 0 or empty is the same as an absent one: the kinds of workloads store most
 * of them only with another value, and those that are stored as 0, too, are written with the first real change.
 */
export function sameStatus(next: object, stored: object): boolean {
  return sameValue(members(next), members(stored));
}

function members(status: object): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === 0 || value === "" || (Array.isArray(value) && value.length === 0);
}
