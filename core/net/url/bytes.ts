/**
 * Texts as the UTF-8 bytes that Go works on: a byte string has one UTF-16 unit of 0 to 255 for each byte. Texts in ASCII are their own
 * byte strings. All functions take linear time.
 */
import { runeLength } from "../../tree/utf8.ts";
import { strayByte } from "../../tree/go-quote.ts";

/** Matches a text with a character beyond ASCII. */
const beyondAscii = /[\u0080-\uffff]/;
const encoder = new TextEncoder();

/** Returns the byte string of a text. */
export function bytesOfText(text: string): string {
  return beyondAscii.test(text) ? latin(encoder.encode(text)) : text;
}

/** Returns the text of a byte string. Bytes that are not UTF-8 become U+FFFD. */
export function textOfBytes(bytes: string): string {
  return beyondAscii.test(bytes) ? quotable(bytes).toWellFormed() : bytes;
}

/** Returns the text of a byte string, for `goQuote`: bytes that are not UTF-8 become lone surrogates. */
export function quotable(bytes: string): string {
  if (!beyondAscii.test(bytes)) return bytes;
  const array = Uint8Array.from(bytes, (unit) => unit.charCodeAt(0));
  const pieces: string[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let start = 0, at = 0;
  while (at < array.length) {
    const length = runeLength(array, at);
    if (length === 0) {
      if (at > start) pieces.push(decoder.decode(array.subarray(start, at)));
      pieces.push(String.fromCharCode(strayByte + array[at]!));
      start = at + 1;
    }
    at += length || 1;
  }
  pieces.push(decoder.decode(array.subarray(start)));
  return pieces.join("");
}

/** Returns the byte string of bytes. */
export function latin(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out;
}
