/** Quantities as numbers. */
import { parseQuantity, Unreadable } from "../../../toolbox.ts";

/** Returns a quantity as a number; 0 for a text that is none. */
export function numberOf(quantity: string): number {
  const amount = parseQuantity(quantity);
  if (amount instanceof Unreadable || amount.digits === "") return 0;
  return (amount.negative ? -1 : 1) * Number(`${amount.digits}e${amount.exponent}`);
}
