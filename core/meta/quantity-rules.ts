/** Validation of quantities, with upstream's messages. */
import { type FieldError, invalid } from "../field-error.ts";
import type { Quantity } from "../schema.ts";
import { amountOf, compareQuantities, integerOf, roundUp } from "../scalars/quantity.ts";

/** Rejects negative quantities. The error shows the value as an integer, as upstream. */
export function validateNotNegative(value: Quantity, path: string): readonly FieldError[] {
  if (compareQuantities(value, "0") >= 0) return [];
  return [invalid(path, integerOf(roundUp(amountOf(value), 0)) ?? value, "must be a valid resource quantity")];
}

/** Rejects zero and negative quantities. */
export function validatePositive(value: Quantity, path: string): readonly FieldError[] {
  return compareQuantities(value, "0") > 0 ? [] : [invalid(path, value, "must be greater than zero")];
}

/** Quantities by the names of their resources, such as `cpu`. */
export type Amounts = Readonly<Record<string, Quantity>> | undefined;

/** Whether both maps have equal quantities in any notation. An absent map equals an empty one. */
export function sameAmounts(a: Amounts = {}, b: Amounts = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && compareQuantities(a[key]!, b[key]!) === 0);
}
