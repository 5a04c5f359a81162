/** Integers in annotations. */
import { goQuote } from "../../toolbox.ts";

const int64Max = 2n ** 63n - 1n;

/** Reads an integer of 64 bits, or returns what is wrong with the text, in the words of Go's strconv. */
export function int64OfText(text: string): bigint | string {
  const wrong = (why: string) => `strconv.ParseInt: parsing ${goQuote(text)}: ${why}`;
  if (!/^[-+]?[0-9]+$/.test(text)) return wrong("invalid syntax");
  const value = BigInt(text.replace("+", ""));
  return value > int64Max || value < -int64Max - 1n ? wrong("value out of range") : value;
}
