/** The identity of a user as headers, by which other servers trust this one as their front proxy. */
import type { UserInfo } from "../../core/user-info.ts";
import type { HeaderFields } from "../../toolbox.ts";

/** Returns the headers with the identity; those of a client with the same names must not be sent. */
export function identityHeaders({ name, uid = "", groups = [], extra = {} }: UserInfo, tellsUid: boolean): HeaderFields {
  const entries = Object.entries(extra).map(([key, values]) => [`x-remote-extra-${escapedKey(key)}`, values.map(bytesText)] as const);
  return {
    ...Object.fromEntries(entries),
    "x-remote-user": bytesText(name),
    ...(groups.length === 0 ? {} : { "x-remote-group": groups.map(bytesText) }),
    ...(tellsUid && uid !== "" ? { "x-remote-uid": bytesText(uid) } : {}),
  };
}

/** Whether headers carry the identity unchanged: spaces around a value are removed on the way, and control characters cannot be sent. */
export function isCarried({ name, uid = "", groups = [], extra = {} }: UserInfo): boolean {
  // deno-lint-ignore no-control-regex
  return ![name, uid, ...groups, ...Object.values(extra).flat()].some((text) => /^[ \t]|[ \t]$|[\0-\x1f\x7f]/.test(text));
}

/** A key in lower case, with escapes for what a header name cannot have, and for percent signs. */
function escapedKey(key: string): string {
  return Array.from(new TextEncoder().encode(key.toLowerCase()), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 128 && /[!#$&'*+.^_`|~0-9a-z-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** The value of a header: a character for each byte of its UTF-8. */
function bytesText(text: string): string {
  if (isAscii.test(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}
const isAscii = /^[\0-\x7f]*$/;
