/**
 * Decoding of UTF-8 as in Go: each byte that is not part of valid UTF-8 becomes one U+FFFD (web decoders merge several), and a byte order
 * mark is kept, because JSON rejects it.
 */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const replacement = "\ufffd";

/** Returns the text of UTF-8 bytes. Never fails; linear in time. */
export function textOfBytes(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.includes(replacement) ? textByRune(bytes) : text;
}

/** Length in bytes of the rune at `at`, or 0 if the bytes are not UTF-8. */
export function runeLength(bytes: Uint8Array, at: number): 0 | 1 | 2 | 3 | 4 {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  if (first < 0xe0) return isTrailing(second) ? 2 : 0;
  // The second byte excludes overlong forms, surrogates and code points above U+10FFFF.
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high || !isTrailing(bytes[at + 2] ?? 0)) return 0;
  if (first < 0xf0) return 3;
  return isTrailing(bytes[at + 3] ?? 0) ? 4 : 0;
}

/** Returns the index of the first byte of the character at `index` (in UTF-16 units) of `textOfBytes(bytes)`. */
export function byteAtIndex(bytes: Uint8Array, index: number): number {
  let at = 0;
  for (let units = 0; units < index;) {
    const length = runeLength(bytes, at);
    units += length === 4 ? 2 : 1;
    at += length || 1;
  }
  return at;
}

/** Compares strings by their UTF-8 bytes, the order of keys in Go. */
export function compareByBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    let x = a.charCodeAt(at);
    let y = b.charCodeAt(at);
    if (x === y) continue;
    // Surrogates sort after all characters of one unit.
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    }
    return x - y;
  }
  return a.length - b.length;
}

function textByRune(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = runeLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    if (at > start) pieces.push(decoder.decode(bytes.subarray(start, at)));
    pieces.push(replacement);
    start = ++at;
  }
  pieces.push(decoder.decode(bytes.subarray(start)));
  return pieces.join("");
}

function isTrailing(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
