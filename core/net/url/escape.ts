/** Percent escapes with the rules of Go's `net/url` for each part of a URL. Works on byte strings (`bytes.ts`). */
import { Unreadable } from "../../scalars/unreadable.ts";
import { goQuote } from "../../tree/go-quote.ts";
import { quotable } from "./bytes.ts";

/** A part of a URL. */
export type Part = "path" | "host" | "zone" | "user" | "query" | "fragment";

/** Characters that stand unescaped in each part, besides letters, digits and `-._~`. */
const plainIn: Readonly<Record<Part, string>> = {
  path: "$&+,/:;=@",
  host: "!\"$&'()*+,:;<=>[]",
  zone: "!\"$&'()*+,:;<=>[]",
  user: "$&+,;=",
  query: "",
  fragment: "!$&()*+,/:;=?@",
};
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
const tables = new Map(
  (Object.keys(plainIn) as Part[]).map((part) => {
    const table = new Uint8Array(256);
    for (const character of letters + plainIn[part]) table[character.charCodeAt(0)] = 1;
    return [part, table];
  }),
);

function isPlain(byte: number, part: Part): boolean {
  return tables.get(part)![byte] === 1;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function wrongEscape(bytes: string, at: number): Unreadable {
  return new Unreadable(`invalid URL escape ${goQuote(quotable(bytes.slice(at, at + 3)))}`);
}

/** Returns the error of the first wrong escape or character, if any. */
function mistake(bytes: string, part: Part): Unreadable | undefined {
  const ofHost = part === "host" || part === "zone";
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at);
    if (byte !== 0x25) {
      if (ofHost && byte < 0x80 && !isPlain(byte, part)) {
        return new Unreadable(`invalid character ${goQuote(String.fromCharCode(byte))} in host name`);
      }
      continue;
    }
    const high = hexDigit(bytes.charCodeAt(at + 1)), low = hexDigit(bytes.charCodeAt(at + 2));
    if (high < 0 || low < 0) return wrongEscape(bytes, at);
    const value = high << 4 | low;
    // Hosts escape only bytes beyond ASCII. Zones also escape what they may contain as it is.
    if (part === "host" && high < 8 && value !== 0x25) return wrongEscape(bytes, at);
    if (part === "zone" && value !== 0x25 && value !== 0x20 && !isPlain(value, "host")) return wrongEscape(bytes, at);
    at += 2;
  }
  return undefined;
}

/** Returns the bytes without escapes. In queries, `+` is a space. */
export function unescapeBytes(bytes: string, part: Part): string | Unreadable {
  const wrong = mistake(bytes, part);
  if (wrong !== undefined) return wrong;
  const spaced = part === "query" ? bytes.replaceAll("+", " ") : bytes;
  if (!spaced.includes("%")) return spaced;
  return spaced.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Returns the bytes with everything escaped that is not plain in this part. Not for queries. */
export function escapeBytes(bytes: string, part: Part): string {
  const table = tables.get(part)!;
  return bytes.replace(/[^A-Za-z0-9._~-]/g, (byte) => {
    const code = byte.charCodeAt(0);
    return table[code] === 1 ? byte : `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/** Whether the bytes could be the result of escaping in this part. */
export function isEncoded(bytes: string, part: Part): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at);
    if (!isPlain(byte, part) && !"!$&'()*+,;=:@[]%".includes(bytes[at]!)) return false;
  }
  return true;
}
