/** Scanning of anchors (`&`), aliases (`*`), tags (`!`) and directives (`%`). */

import {
  failHere,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isWordCharacter,
  peek,
  skip,
  skipToLineEnd,
  type Source,
  takeBreak,
  takeUntil,
} from "./source.ts";
import type { Token } from "./token.ts";

const BANG = 0x21, PERCENT = 0x25, LESS = 0x3c, GREATER = 0x3e;

/** The anchor or alias at the cursor. */
export function scanAnchor(source: Source, type: "alias" | "anchor"): Token {
  const { line } = source;
  skip(source);
  const name = takeWord(source);
  const next = peek(source);
  if (name === "" || !isBlankOrEnd(next) && !"?:,]}%@`".includes(String.fromCharCode(next))) {
    failHere(source, "did not find expected alphabetic or numeric character");
  }
  return { type, line, name };
}

/** The tag at the cursor: `!suffix`, `!handle!suffix`, `!<whole>` or a lone `!`. */
export function scanTag(source: Source): Token {
  const { line } = source;
  let handle = "";
  let suffix = "";
  if (peek(source, 1) === LESS) {
    skip(source, 2);
    suffix = scanTagUri(source, "");
    if (peek(source) !== GREATER) failHere(source, "did not find the expected '>'");
    skip(source);
  } else {
    handle = scanTagHandle(source, false);
    if (handle.length > 1 && handle.endsWith("!")) suffix = scanTagUri(source, "");
    else {
      suffix = scanTagUri(source, handle);
      handle = "!";
      if (suffix === "") [handle, suffix] = [suffix, handle];
    }
  }
  if (!isBlankOrEnd(peek(source))) failHere(source, "did not find expected whitespace or line break");
  return { type: "tag", line, handle, suffix };
}

function scanTagHandle(source: Source, inDirective: boolean): string {
  if (peek(source) !== BANG) failHere(source, "did not find expected '!'");
  skip(source);
  const handle = `!${takeWord(source)}`;
  if (peek(source) === BANG) {
    skip(source);
    return `${handle}!`;
  }
  if (inDirective && handle !== "!") failHere(source, "did not find expected '!'");
  return handle; // in a tag, `!word` is the start of its suffix
}

const uriPunctuation = ";/?:@&=+$.,!~*'()[]";

function scanTagUri(source: Source, handle: string): string {
  let uri = handle.slice(1);
  for (;;) {
    const c = peek(source);
    if (c === PERCENT) uri += scanUriEscapes(source);
    else if (c !== 0 && (isWordCharacter(c) || uriPunctuation.includes(String.fromCharCode(c)))) uri += takeUntil(source, source.at + 1);
    else break;
  }
  if (handle === "" && uri === "") failHere(source, "did not find expected tag URI");
  return uri;
}

/** One character of several `%XX`. */
function scanUriEscapes(source: Source): string {
  const octets: number[] = [];
  let width = 1;
  do {
    const digits = source.text.slice(source.at, source.at + 3);
    if (!/^%[0-9a-fA-F]{2}$/.test(digits)) failHere(source, "did not find URI escaped octet");
    const octet = parseInt(digits.slice(1), 16);
    if (octets.length === 0) {
      width = octet < 0x80 ? 1 : (octet & 0xe0) === 0xc0 ? 2 : (octet & 0xf0) === 0xe0 ? 3 : (octet & 0xf8) === 0xf0 ? 4 : 0;
      if (width === 0) failHere(source, "found an incorrect leading UTF-8 octet");
    } else if ((octet & 0xc0) !== 0x80) failHere(source, "found an incorrect trailing UTF-8 octet");
    octets.push(octet);
    skip(source, 3);
  } while (octets.length < width);
  return new TextDecoder().decode(Uint8Array.from(octets));
}

/** The directive at the cursor, including the rest of its line. */
export function scanDirective(source: Source): Token {
  const { line } = source;
  skip(source);
  const name = takeWord(source);
  if (name === "") failHere(source, "could not find expected directive name");
  if (!isBlankOrEnd(peek(source))) failHere(source, "found unexpected non-alphabetical character");
  if (name !== "YAML" && name !== "TAG") failHere(source, "found unknown directive name");
  const token: Token = name === "YAML"
    ? { type: "versionDirective", line, version: scanVersion(source) }
    : { type: "tagDirective", line, ...scanTagDirective(source) };
  if (!skipToLineEnd(source)) failHere(source, "did not find expected comment or line break");
  if (isBreak(peek(source))) takeBreak(source);
  return token;
}

function scanVersion(source: Source): string {
  skipBlanks(source);
  const major = scanVersionNumber(source);
  if (peek(source) !== 0x2e) failHere(source, "did not find expected digit or '.' character");
  skip(source);
  return `${major}.${scanVersionNumber(source)}`;
}

function scanVersionNumber(source: Source): number {
  let digits = "";
  for (let c = peek(source); c >= 0x30 && c <= 0x39; c = peek(source)) {
    if (digits.length === 2) failHere(source, "found extremely long version number");
    digits += takeUntil(source, source.at + 1);
  }
  if (digits === "") failHere(source, "did not find expected version number");
  return Number(digits);
}

function scanTagDirective(source: Source): { handle: string; prefix: string } {
  skipBlanks(source);
  const handle = scanTagHandle(source, true);
  if (!isBlank(peek(source))) failHere(source, "did not find expected whitespace");
  skipBlanks(source);
  const prefix = scanTagUri(source, "");
  if (!isBlankOrEnd(peek(source))) failHere(source, "did not find expected whitespace or line break");
  return { handle, prefix };
}

function skipBlanks(source: Source): void {
  while (isBlank(peek(source))) skip(source);
}

function takeWord(source: Source): string {
  let further = 0;
  while (isWordCharacter(peek(source, further))) further++;
  return takeUntil(source, source.at + further);
}
