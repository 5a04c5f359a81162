/** Characters and strings quoted as in Go's messages (strconv.Quote). */

/** The characters of Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the space. */
const printable = "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ";
const allPrintable = new RegExp(`^[${printable}]*$`, "u"), unquotable = new RegExp(`["\\\\]|[^${printable}]`, "gu");

/** Returns a byte, as the character with that number, in single quotes, as in Go's JSON errors: `'\x00'`, `'\''`, `'ï'`. */
export function goQuotedByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}

/** Returns a string in Go's `%q` format. Characters that are not printable become `\x07`, `\u00a0` or `\U000e0001`. */
export function goQuote(text: string): string {
  return `"${text.replace(unquotable, escapeCharacter)}"`;
}

/** Whether all characters are printable and ASCII, which is true of nearly all names. */
export function isPlainAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Whether all characters are printable in Go. */
export function isPrintable(text: string): boolean {
  return allPrintable.test(text);
}

/**
 * Bytes that are not UTF-8 are lone surrogates in strings, 0xDC00 plus the byte: 0xDC80 to 0xDCFF. `goQuote` writes them as `\xff`, every
 * encoder as U+FFFD.
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

function escapeCharacter(character: string): string {
  const letter = letters.get(character);
  if (letter !== undefined) return letter;
  const point = character.codePointAt(0) ?? 0;
  if (point >= strayByte + 0x80 && point <= strayByte + 0xff) return `\\x${(point - strayByte).toString(16)}`;
  const hex = point.toString(16);
  if (point < 0x20 || point === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
