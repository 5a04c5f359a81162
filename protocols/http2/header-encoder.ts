/**
 * Encodes header fields (RFC 7541) without a dynamic table and without the Huffman code: an encoded field has the same meaning on every
 * connection, and nothing is computed for each byte. The longer heads cost less than shorter ones would.
 */
import { staticFields } from "./static-table.ts";

interface StaticName {
  readonly index: number;
  /** Indexes by value. */
  readonly values: Map<string, number>;
}

/** The static table by name, then by value: most names are not in it, and their values need not be hashed. */
const staticNames = staticNamesOf();

function staticNamesOf(): ReadonlyMap<string, StaticName> {
  const names = new Map<string, StaticName>();
  staticFields.forEach(([name, value], at) => {
    const found = names.get(name) ?? { index: at + 1, values: new Map<string, number>() };
    names.set(name, found);
    found.values.set(value, at + 1);
  });
  return names;
}

/** Returns a field as Latin-1 text: a field of the static table, or a literal that no table stores. */
export function encodedField(name: string, value: string): string {
  const known = staticNames.get(name);
  if (known === undefined) return "\0" + encodedText(name) + encodedText(value);
  const whole = known.values.get(value);
  return whole === undefined ? integer(known.index, 4, 0) + encodedText(value) : integer(whole, 7, 0x80);
}

/** Returns the start of a literal field, up to its value. */
export function encodedName(name: string): string {
  const known = staticNames.get(name);
  return known === undefined ? "\0" + encodedText(name) : integer(known.index, 4, 0);
}

/** Returns a text of one character for each byte. */
export function encodedText(text: string): string {
  return integer(text.length, 7, 0) + text;
}

/** Returns an integer with a prefix (RFC 7541, section 5.1); `flags` are the bits before it. */
function integer(value: number, prefixBits: number, flags: number): string {
  const most = (1 << prefixBits) - 1;
  if (value < most) return String.fromCharCode(flags | value);
  let text = String.fromCharCode(flags | most);
  let rest = value - most;
  for (; rest >= 0x80; rest >>>= 7) text += String.fromCharCode(rest & 0x7f | 0x80);
  return text + String.fromCharCode(rest);
}
