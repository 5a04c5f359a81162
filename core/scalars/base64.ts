/** Standard base64 as in Go: ignores line breaks and unused bits after the last byte. */
import type { Base64 } from "../schema.ts";
import { Unreadable } from "./unreadable.ts";

/** Returns the same bytes in canonical base64 (`text` itself if it is canonical), or an error with the index of the invalid byte. */
export function parseBase64(text: string): Base64 | Unreadable {
  if (isCanonical(text)) return text;
  const digits: number[] = [];
  let left = 0; // digits of an incomplete quantum
  let at = 0;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const digit = digitOf(code);
    if (digit >= 0) {
      digits.push(digit);
      left = (left + 1) % 4;
    } else if (code === 0x3d) return readPadding(text, at, left, digits);
    else if (code !== 0x0a && code !== 0x0d) return illegal(at);
  }
  return left === 0 ? textOf(digits) : illegal(at - left);
}

/** Bytes in base64. */
export function base64Of(bytes: Uint8Array): Base64 {
  let out = "";
  let at = 0;
  for (; at + 2 < bytes.length; at += 3) {
    const three = bytes[at]! << 16 | bytes[at + 1]! << 8 | bytes[at + 2]!;
    out += alphabet[three >> 18]! + alphabet[three >> 12 & 63]! + alphabet[three >> 6 & 63]! + alphabet[three & 63]!;
  }
  if (at + 1 === bytes.length) out += alphabet[bytes[at]! >> 2]! + alphabet[bytes[at]! << 4 & 63]! + "==";
  else if (at + 2 === bytes.length) {
    const two = bytes[at]! << 8 | bytes[at + 1]!;
    out += alphabet[two >> 10]! + alphabet[two >> 4 & 63]! + alphabet[two << 2 & 63]! + "=";
  }
  return out;
}

/** Returns the bytes of canonical base64. */
export function bytesOf(text: Base64): Uint8Array<ArrayBuffer> {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(text.length / 4 * 3 - padding);
  let to = 0;
  for (let at = 0; at < text.length; at += 4) {
    const four = digitOf(text.charCodeAt(at)) << 18 | digitOf(text.charCodeAt(at + 1)) << 12 |
      Math.max(0, digitOf(text.charCodeAt(at + 2))) << 6 | Math.max(0, digitOf(text.charCodeAt(at + 3)));
    bytes[to++] = four >> 16; // writes beyond the end are ignored by typed arrays
    bytes[to++] = four >> 8;
    bytes[to++] = four;
  }
  return bytes;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function digitOf(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x47;
  if (code >= 0x30 && code <= 0x39) return code + 4;
  return code === 0x2b ? 62 : code === 0x2f ? 63 : -1;
}

function isCanonical(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  if (text === "") return true;
  let end = text.length;
  if (text.charCodeAt(end - 1) === 0x3d) end -= text.charCodeAt(end - 2) === 0x3d ? 2 : 1;
  for (let at = 0; at < end; at++) if (digitOf(text.charCodeAt(at)) < 0) return false;
  // The digit before the padding must have no unused bits.
  const stray = end === text.length ? 0 : end === text.length - 1 ? 3 : 15;
  return (digitOf(text.charCodeAt(end - 1)) & stray) === 0;
}

/** Checks the rest from the first `=`: complete padding, followed only by line breaks. */
function readPadding(text: string, first: number, left: number, digits: readonly number[]): Base64 | Unreadable {
  if (left < 2) return illegal(first);
  let at = first + 1;
  if (left === 2) {
    at = skipBreaks(text, at);
    if (at === text.length) return illegal(at);
    if (text[at] !== "=") return illegal(at - 1);
    at++;
  }
  at = skipBreaks(text, at);
  return at < text.length ? illegal(at) : textOf(digits);
}
function skipBreaks(text: string, from: number): number {
  let at = from;
  while (text[at] === "\n" || text[at] === "\r") at++;
  return at;
}
function illegal(at: number): Unreadable {
  return new Unreadable(`illegal base64 data at input byte ${at}`);
}
function textOf(digits: readonly number[]): Base64 {
  const bytes = new Uint8Array(Math.floor(digits.length * 6 / 8));
  for (let to = 0; to < bytes.length; to++) {
    const from = Math.floor(to * 8 / 6), shift = to % 3;
    bytes[to] = digits[from]! << (2 + 2 * shift) | (digits[from + 1] ?? 0) >> (4 - 2 * shift);
  }
  return base64Of(bytes);
}
