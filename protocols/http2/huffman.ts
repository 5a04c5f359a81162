/** The Huffman code of header strings (RFC 7541, section 5.2 and appendix B). */
import { Buffer } from "node:buffer";
import { ConnectionError, errorCode } from "./frames.ts";

/**
 * The code lengths of all characters. The codes follow from them: codes of one length are consecutive in the order of the characters,
 * and the first code of a length is the successor of the last shorter one, padded with zeros.
 */
const codes: readonly (readonly [bits: number, characters: string])[] = Object.freeze([
  [5, "012aceiost"],
  [6, " %-./3456789=A_bdfghlmnpru"],
  [7, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"],
  [8, "&*,;XZ"],
  [10, '!"()?'],
  [11, "'+|"],
  [12, "#>"],
  [13, "\x00$@[]~"],
  [14, "^}"],
  [15, "<`{"],
  [19, "\\\xc3\xd0"],
  [20, "\x80\x82\x83\xa2\xb8\xc2\xe0\xe2"],
  [21, "\x99\xa1\xa7\xac\xb0\xb1\xb3\xd1\xd8\xd9\xe3\xe5\xe6"],
  [22, "\x81\x84\x85\x86\x88\x92\x9a\x9c\xa0\xa3\xa4\xa9\xaa\xad\xb2\xb5\xb9\xba\xbb\xbd\xbe\xc4\xc6\xe4\xe8\xe9"],
  [23, "\x01\x87\x89\x8a\x8b\x8c\x8d\x8f\x93\x95\x96\x97\x98\x9b\x9d\x9e\xa5\xa6\xa8\xae\xaf\xb4\xb6\xb7\xbc\xbf\xc5\xe7\xef"],
  [24, "\t\x8e\x90\x91\x94\x9f\xab\xce\xd7\xe1\xec\xed"],
  [25, "\xc7\xcf\xea\xeb"],
  [26, "\xc0\xc1\xc8\xc9\xca\xcd\xd2\xd5\xda\xdb\xee\xf0\xf2\xf3\xff"],
  [27, "\xcb\xcc\xd3\xd4\xd6\xdd\xde\xdf\xf1\xf4\xf5\xf6\xf7\xf8\xfa\xfb\xfc\xfd\xfe"],
  [28, "\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f\xdc\xf9"],
  // The last code of this length is EOS, which must not occur in a string.
  [30, "\n\r\x16"],
]);

/** By the next eight bits: the code of at most eight bits that they begin with, as its length and character; 0 if it is longer. */
const short = shortCodes();

function shortCodes(): Uint16Array {
  const table = new Uint16Array(256);
  let code = 0, before = 0;
  for (const [length, characters] of codes) {
    if (length > 8) break;
    code <<= length - before;
    before = length;
    for (const character of characters) {
      const first = code++ << 8 - length;
      table.fill(length << 8 | character.charCodeAt(0), first, first + (1 << 8 - length));
    }
  }
  return table;
}

/** Decodes to one character for each byte. Throws unless the bytes are whole codes padded with fewer than eight ones. */
export function huffmanDecoded(bytes: Uint8Array): string {
  // The shortest code has five bits.
  const text = Buffer.allocUnsafe(Math.ceil(bytes.length * 8 / 5));
  let length = 0, at = 0, window = 0, bits = 0;
  for (;;) {
    while (bits < 8 && at < bytes.length) {
      window = (window & 0xff) << 8 | bytes[at++]!;
      bits += 8;
    }
    if (bits === 0) break;
    // Padding is ones.
    const next = bits >= 8 ? window >> bits - 8 & 0xff : (window << 8 - bits | 0xff >> bits) & 0xff;
    const found = short[next]!;
    if (found !== 0 && found >> 8 <= bits) {
      text[length++] = found & 0xff;
      bits -= found >> 8;
      continue;
    }
    if (found !== 0 || (at === bytes.length && bits < 8)) {
      if (next !== 0xff && (window & (1 << bits) - 1) !== (1 << bits) - 1) noCode();
      break;
    }
    [text[length++], at, window, bits] = longCode(bytes, at, window, bits);
  }
  return text.toString("latin1", 0, length);
}

/** Reads a code of more than eight bits, of which `bits` are in `window`. */
function longCode(
  bytes: Uint8Array,
  at: number,
  window: number,
  bits: number,
): [character: number, at: number, window: number, bits: number] {
  let code = window & (1 << bits) - 1, have = bits;
  // Whole bytes up to 32 bits do not fit into a number's 31: only as many as needed are read.
  let group = longFrom, first = longFirst;
  for (;;) {
    const [length, characters] = codes[group] ?? noCode();
    while (have < length) {
      if (at === bytes.length) {
        // Padding of eight bits and more, or an incomplete code.
        return noCode();
      }
      code = code * 256 + bytes[at++]!;
      have += 8;
    }
    const place = Math.floor(code / 2 ** (have - length)) - first;
    if (place < characters.length) {
      const rest = have - length;
      return [characters.charCodeAt(place), at, code % 2 ** rest, rest];
    }
    const next = codes[++group] ?? noCode();
    first = (first + characters.length) * 2 ** (next[0] - length);
  }
}

/** The first group of codes of more than eight bits, and its first code. */
const longFrom = codes.findIndex(([length]) => length > 8);
const longFirst = firstOf(longFrom);

function firstOf(group: number): number {
  let first = 0;
  for (let at = 0; at < group; at++) first = first + codes[at]![1].length << codes[at + 1]![0] - codes[at]![0];
  return first;
}

function noCode(): never {
  throw new ConnectionError(errorCode.compression, "A header has an invalid Huffman code");
}
