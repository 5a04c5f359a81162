/** Amounts of bytes that are no whole number. */
import { amountOf, isWhole } from "../../../core/scalars/quantity.ts";
import type { Quantity } from "../../../core/schema.ts";

/** The warning about the amount under `name`, if there is one and it has a fraction of a byte. */
export function fractionOf(amounts: Readonly<Record<string, Quantity>>, name: string, path: string): readonly string[] {
  const amount = Object.hasOwn(amounts, name) ? amounts[name]! : "0";
  return isWhole(amountOf(amount)) ? [] : [`${path}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
}
