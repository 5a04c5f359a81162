/**
 * Encodes header fields (RFC 7541) without a dynamic table and without the Huffman code: an encoded field has the same meaning on every
 * connection, and nothing is computed for each byte. The longer heads cost less than shorter ones would.
 */
import { staticFields } from "./static-table.ts";

const indexes = indexesOf();

/** Indexes of the static table, by name, and by name and value. */
function indexesOf(): { readonly names: ReadonlyMap<string, number>; readonly fields: ReadonlyMap<string, number> } {
  const names = new Map<string, number>(), fields = new Map<string, number>();
  staticFields.forEach(([name, value], at) => {
    if (!names.has(name)) names.set(name, at + 1);
    fields.set(`${name}: ${value}`, at + 1);
  });
  return { names, fields };
}

/** A field as Latin-1 text: a field of the static table, or a literal that no table stores. */
export function encodedField(name: string, value: string): string {
  const whole = indexes.fields.get(`${name}: ${value}`);
  if (whole !== undefined) return integer(whole, 7, 0x80);
  return encodedName(name) + encodedText(value);
}

/** The start of a literal field, up to its value. */
export function encodedName(name: string): string {
  const index = indexes.names.get(name);
  return index === undefined ? "\0" + encodedText(name) : integer(index, 4, 0);
}

/** A text of one character for each byte. */
export function encodedText(text: string): string {
  return integer(text.length, 7, 0) + text;
}

/** An integer with a prefix (RFC 7541, section 5.1); `flags` are the bits before it. */
function integer(value: number, prefixBits: number, flags: number): string {
  const most = (1 << prefixBits) - 1;
  if (value < most) return String.fromCharCode(flags | value);
  let text = String.fromCharCode(flags | most);
  let rest = value - most;
  for (; rest >= 0x80; rest >>>= 7) text += String.fromCharCode(rest & 0x7f | 0x80);
  return text + String.fromCharCode(rest);
}
