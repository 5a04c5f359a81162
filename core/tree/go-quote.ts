/** Characters and strings in the quotes in which Go's messages show them (strconv.Quote). */

/** What Go's `unicode.IsPrint` shows as it is: letters, marks, numbers, punctuation, symbols, and of the separators the space. */
const printable = "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ";
const allPrintable = new RegExp(`^[${printable}]*$`, "u"), unquotable = new RegExp(`["\\\\]|[^${printable}]`, "gu");

/** A byte in single quotes, taken as the character of that number, as JSON's errors show it: `'\x00'`, `'\''`, `'ï'`. */
export function goQuotedByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}

/** A string in double quotes with Go's escapes, as its `%q` shows it; what is not printable becomes `\x07`, `\u00a0` or `\U000e0001`. */
export function goQuote(text: string): string {
  return `"${text.replace(unquotable, escaped)}"`;
}

/** Whether Go shows each of these characters as it is. */
export function isPrintable(text: string): boolean {
  return allPrintable.test(text);
}

/**
 * Bytes that are not UTF-8 are held in strings as lone surrogates, 0xDC00 plus the byte: 0xDC80 to 0xDCFF. Quotes show them
 * as `\xff`; every encoder writes U+FFFD for each.
 */
export const strayByte = 0xdc00;

const letters: ReadonlyMap<string, string> = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

function escaped(character: string): string {
  const letter = letters.get(character);
  if (letter !== undefined) return letter;
  const point = character.codePointAt(0) ?? 0;
  if (point >= strayByte + 0x80 && point <= strayByte + 0xff) return `\\x${(point - strayByte).toString(16)}`;
  const hex = point.toString(16);
  if (point < 0x20 || point === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
