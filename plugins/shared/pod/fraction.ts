/** Warnings about fractional numbers of bytes. */
import { amountOf, isWhole, type Quantity } from "../../../toolbox.ts";

/** The warning about the quantity under `name`, if it is set and fractional. */
export function fractionOf(amounts: Readonly<Record<string, Quantity>>, name: string, path: string): readonly string[] {
  const amount = Object.hasOwn(amounts, name) ? amounts[name]! : "0";
  return isWhole(amountOf(amount)) ? [] : [`${path}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
}
