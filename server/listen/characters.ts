/** A set of Latin-1 characters, by code. */
export type Characters = Uint8Array;

const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Characters of a token: methods and header names (RFC 9110, 5.6.2). */
export const tokenCharacters = setOf("!#$%&'*+-.^_`|~" + alphanumeric);
/** Characters of a header name in HTTP/2, which has no upper-case letters (RFC 9113, section 8.2.1). */
export const nameCharacters = setOf("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz");
/** Characters of a header value without obsolete line folding (RFC 9110, 5.5). */
export const valueCharacters = setOf("\t ", [0x21, 0x7e], [0x80, 0xff]);
/** Characters of a request target: anything but blanks and control characters. */
export const targetCharacters = setOf("", [0x21, 0x7e], [0x80, 0xff]);
/** Characters of a Host header as Go's server takes them. */
export const hostCharacters = setOf("!$%&'()*+,-.:;=[]_~" + alphanumeric);

/** Whether all characters of a text belong to a set; true for an empty text. */
export function consistsOf(text: string, characters: Characters): boolean {
  for (let at = 0; at < text.length; at++) if (characters[text.charCodeAt(at)] !== 1) return false;
  return true;
}

function setOf(members: string, ...ranges: readonly (readonly [first: number, last: number])[]): Characters {
  const set = new Uint8Array(256);
  for (const member of members) set[member.charCodeAt(0)] = 1;
  for (const [first, last] of ranges) set.fill(1, first, last + 1);
  return set;
}
