/** Headers with a user's identity, sent by front proxies and impersonating clients. */
import type { RequestToAuthenticate } from "./authentication.ts";

type Headers = RequestToAuthenticate["headers"];

/** Values of a header in order, decoded as UTF-8: the listener passes one character per byte. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  return [headers[name.toLowerCase()] ?? []].flat().map((value) => utf8(value));
}

/**
 * Adds extra values of the headers with a prefix in lower case, by the rest of the name as key. Percent escapes in keys are decoded; values
 * are joined.
 */
export function addExtraValues(found: Map<string, readonly string[]>, headers: Headers, prefix: string): void {
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(prefix)) continue;
    const key = unescapedKey(name.slice(prefix.length));
    found.set(key, [...found.get(key) ?? [], ...headerValues(headers, name)]);
  }
}

/** A malformed key is used unchanged. */
function unescapedKey(key: string): string {
  return /%(?![0-9a-f]{2})/.test(key) ? key : utf8(key.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))));
}

/** A byte order mark is part of a name: without it the name would be that of another user. */
function utf8(bytes: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
