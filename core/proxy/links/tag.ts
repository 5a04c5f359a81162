/** Writes start tags as upstream's proxy does: names in lower case, values in double quotes, and their links to the proxy. */
import { decodeHTMLAttribute } from "entities/decode";
import { bytesOfText, latin } from "../../net/url/bytes.ts";
import type { StartTag } from "./scanner.ts";

/** The attributes with a link, by element. */
const links: Readonly<Record<string, readonly string[]>> = Object.freeze({
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
});

const replacement = bytesOfText("\ufffd");
const escapes: Readonly<Record<string, string>> = Object.freeze({
  "&": "&amp;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "\r": "&#13;",
});

/** Returns the start tag with other links. `linkOf` returns the link for one, both as byte strings. */
export function rewrittenTag({ bytes, nameEnd, spans }: StartTag, linkOf: (link: string) => string): Uint8Array {
  const name = withoutZeros(lower(latin(bytes.subarray(1, nameEnd)))), linked = Object.hasOwn(links, name) ? links[name]! : [];
  const seen = new Set<string>(), pieces = [`<${name}`];
  let lastEnd = -1;
  for (let at = 0; at < spans.length; at += 4) {
    const key = lower(latin(bytes.subarray(spans[at]!, spans[at + 1]!)));
    if (seen.has(key)) continue;
    seen.add(key);
    lastEnd = spans[at + 3]!;
    const value = unescaped(withoutZeros(latin(bytes.subarray(spans[at + 2]!, lastEnd))).replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
    pieces.push(` ${withoutZeros(key)}="${escaped(linked.includes(key) ? linkOf(value) : value)}"`);
  }
  // A slash that is the end of a value without quotes is no slash of the tag.
  const before = bytes.length - 2, isSelfClosing = bytes[before] === 0x2f && before !== lastEnd - 1;
  pieces.push(isSelfClosing ? "/>" : ">");
  return Uint8Array.from(pieces.join(""), (unit) => unit.charCodeAt(0));
}

/** Only the letters of ASCII: those beyond are bytes. */
function lower(bytes: string): string {
  return bytes.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
function withoutZeros(bytes: string): string {
  return bytes.replaceAll("\0", replacement);
}
function escaped(bytes: string): string {
  return bytes.replace(/[&'<>"\r]/g, (each) => escapes[each]!);
}

/** Returns the value without character references. The library decides about each one; around it there may be bytes that are no text. */
function unescaped(value: string): string {
  let from = value.indexOf("&");
  if (from < 0) return value;
  const pieces = [value.slice(0, from)];
  while (from >= 0) {
    const end = referenceEnd(value, from), written = value.slice(from, end), next = value.indexOf("&", end);
    const isKept = written[1] !== "#" && !written.endsWith(";") && value[end] === "=";
    pieces.push(isKept ? written : bytesOfText(decodeHTMLAttribute(written)), value.slice(end, next < 0 ? undefined : next));
    from = next;
  }
  return pieces.join("");
}

/** Where a character reference at `from` ends at the latest. */
function referenceEnd(value: string, from: number): number {
  let at = from + 1;
  if (value[at] === "#") at++;
  while (at < value.length && isAlphanumeric(value.charCodeAt(at))) at++;
  return value[at] === ";" ? at + 1 : at;
}
function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}
