/** The Huffman code of header strings (RFC 7541, section 5.2 and appendix B). */
import { Buffer } from "node:buffer";

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

/** Decodes to one character for each byte. Throws unless the bytes are whole codes padded with fewer than eight ones. */
export function huffmanDecoded(bytes: Uint8Array): string {
  const text: number[] = [];
  let code = 0, bits = 0;
  let first = 0, group = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code << 1 | byte >> bit & 1;
      bits += 1;
      const [length, characters] = codes[group] ?? noCode();
      if (bits < length) continue;
      const place = code - first;
      if (place < characters.length) {
        text.push(characters.charCodeAt(place));
        code =
          bits =
          first =
          group =
            0;
        continue;
      }
      // The code is longer: continue with the next length.
      const next = codes[++group] ?? noCode();
      first = first + characters.length << next[0] - length;
    }
  }
  if (bits > 7 || code !== (1 << bits) - 1) noCode();
  return Buffer.from(text).toString("latin1");
}

function noCode(): never {
  throw new Error("A header has an invalid Huffman code");
}
