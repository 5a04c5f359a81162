/** Percent-encoding in paths and queries, decoded as by Go. */
import { strayByte } from "../tree/go-quote.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes `%41` to `A`; undefined for a malformed escape. Bytes that are not UTF-8 become U+FFFD. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  const bytes = percentBytes(text);
  return bytes === undefined ? undefined : utf8.decode(bytes);
}

/** As `percentDecode`, for paths and values of a query: a byte that is not UTF-8 becomes a lone surrogate (`strayByte`), so that messages
 *  can show it. */
export function percentDecodeBytes(text: string): string | undefined {
  if (!text.includes("%")) return text;
  const bytes = percentBytes(text);
  if (bytes === undefined) return undefined;
  const decoded = utf8.decode(bytes);
  return decoded.includes(replacement) ? withStrayBytes(bytes) : decoded;
}

const replacement = "\ufffd";

function withStrayBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes[at]!);
    const part = bytes.subarray(at, at + length);
    const character = utf8.decode(part);
    // An encoded U+FFFD is valid; it has three bytes.
    const isOne = length > 0 && (!character.includes(replacement) || (length === 3 && isReplacement(part)));
    text += isOne ? character : String.fromCharCode(strayByte + bytes[at]!);
    at += isOne ? length : 1;
  }
  return text;
}

function isReplacement(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbf && bytes[2] === 0xbd;
}

/** Length in bytes of the UTF-8 sequence that starts with `byte`; 0 if none does. */
function sequenceLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 0;
}

function percentBytes(text: string): Uint8Array | undefined {
  const bytes = new TextEncoder().encode(text);
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x25) {
      out[length++] = bytes[at]!;
      continue;
    }
    const high = hexValue(bytes[at + 1]), low = hexValue(bytes[at + 2]);
    if (high < 0 || low < 0) return undefined;
    out[length++] = high * 16 + low;
    at += 2;
  }
  return out.subarray(0, length);
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Characters of a path that Go writes as they are. */
const plainInPath = new Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~$&+,/:;=@");

/** Encodes a path, also one of `percentDecodeBytes`, as Go's `URL.EscapedPath`. */
export function escapePath(path: string): string {
  let text = "";
  for (const character of path) {
    const code = character.codePointAt(0)!;
    if (plainInPath.has(character)) text += character;
    else if (code >= strayByte && code < strayByte + 256) text += hexOf(code - strayByte);
    else for (const byte of new TextEncoder().encode(character)) text += hexOf(byte);
  }
  return text;
}
function hexOf(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
