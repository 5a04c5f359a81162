/** IP addresses and prefixes with the grammar, errors and canonical text of Go's `net/netip`. All functions take linear time. */
import { Unreadable } from "../scalars/unreadable.ts";
import { goQuote } from "../tree/go-quote.ts";

/** An IPv4 or IPv6 address as 4 or 16 bytes. */
export interface Address {
  /** The 4 or 16 bytes. */
  readonly bytes: Uint8Array;
  /** IPv6 zone; empty for none. */
  readonly zone: string;
}

/** An address and the length of its network part in bits. */
export interface Prefix {
  readonly address: Address;
  readonly bits: number;
}

/** Parses an address as `netip.ParseAddr`. */
export function parseAddress(text: string): Address | Unreadable {
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x2e: {
        const bytes = new Uint8Array(4);
        return parseOctets(text, 0, text.length, bytes, 0) ?? { bytes, zone: "" };
      }
      case 0x3a:
        return parseIPv6(text);
      case 0x25: // A zone without an address.
        return failure(text, "missing IPv6 address");
    }
  }
  return failure(text, "unable to parse IP");
}

/** Parses a prefix as `netip.ParsePrefix`. */
export function parsePrefix(text: string): Prefix | Unreadable {
  const failed = (why: string) => new Unreadable(`netip.ParsePrefix(${goQuote(text)}): ${why}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) return failed("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (address instanceof Unreadable) return failed(address.error);
  if (address.zone !== "") return failed("IPv6 zones cannot be present in a prefix");
  const length = text.slice(slash + 1);
  const bits = /^(?:0|[1-9][0-9]*)$/.test(length) ? Number(length) : NaN;
  // Lengths beyond int64 are not numbers for upstream.
  if (!(bits < 2 ** 63)) return failed(`bad bits after slash: ${goQuote(length)}`);
  return bits > address.bytes.length * 8 ? failed("prefix length out of range") : { address, bits };
}

function failure(text: string, why: string, rest = ""): Unreadable {
  return new Unreadable(`ParseAddr(${goQuote(text)}): ${why}${rest === "" ? "" : ` (at ${goQuote(rest)})`}`);
}

/** Reads `a.b.c.d` from `start` to `end` into four bytes. Returns the error, if any. */
function parseOctets(text: string, start: number, end: number, bytes: Uint8Array, to: number): Unreadable | undefined {
  let value = 0, digits = 0, octet = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      if (digits === 1 && value === 0) return failure(text, "IPv4 field has octet with leading zero");
      value = value * 10 + code - 0x30;
      digits++;
      if (value > 255) return failure(text, "IPv4 field has value >255");
    } else if (code === 0x2e) {
      if (digits === 0 || at === end - 1) return failure(text, "IPv4 field must have at least one digit", text.slice(at, end));
      if (octet === 3) return failure(text, "IPv4 address too long");
      bytes[to + octet++] = value;
      value = digits = 0;
    } else return failure(text, "unexpected character", text.slice(at, end));
  }
  if (octet < 3) return failure(text, "IPv4 address too short");
  bytes[to + 3] = value;
  return undefined;
}

function parseIPv6(text: string): Address | Unreadable {
  const percent = text.indexOf("%"), end = percent < 0 ? text.length : percent;
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") return failure(text, "zone must be a non-empty string");
  const failed = (why: string, at: number) => failure(text, why, text.slice(at, end));
  const bytes = new Uint8Array(16);
  let at = 0, filled = 0, ellipsis = -1;
  if (text.startsWith("::")) {
    ellipsis = 0;
    at = 2;
    if (at >= end) return { bytes, zone };
  }
  while (filled < 16) {
    let group = 0, digits = 0;
    for (;; digits++) {
      const digit = at + digits < end ? hexDigit(text.charCodeAt(at + digits)) : -1;
      if (digit < 0) break;
      if (digits > 3) return failed("each group must have 4 or less digits", at);
      group = group << 4 | digit;
    }
    if (digits === 0) return failed("each colon-separated field must have at least one digit", at);
    if (at + digits < end && text[at + digits] === ".") {
      if (ellipsis < 0 && filled !== 12) {
        return failed("embedded IPv4 address must replace the final 2 fields of the address", at);
      }
      if (filled > 12) return failed("too many hex fields to fit an embedded IPv4 at the end of the address", at);
      const wrong = parseOctets(text, at, end, bytes, filled);
      if (wrong !== undefined) return wrong;
      filled += 4;
      at = end;
      break;
    }
    bytes[filled] = group >> 8;
    bytes[filled + 1] = group;
    filled += 2;
    at += digits;
    if (at >= end) break;
    if (text[at] !== ":") return failed("unexpected character, want colon", at);
    if (at + 1 >= end) return failed("colon must be followed by more characters", at);
    at++;
    if (text[at] === ":") {
      if (ellipsis >= 0) return failed("multiple :: in address", at);
      ellipsis = filled;
      at++;
      if (at >= end) break;
    }
  }
  if (at < end) return failed("trailing garbage after address", at);
  if (filled === 16) {
    return ellipsis < 0 ? { bytes, zone } : failure(text, "the :: must expand to at least one field of zeros");
  }
  if (ellipsis < 0) return failure(text, "address string too short");
  bytes.copyWithin(16 - (filled - ellipsis), ellipsis, filled);
  bytes.fill(0, ellipsis, 16 - (filled - ellipsis));
  return { bytes, zone };
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Whether an IPv6 address maps an IPv4 address (`::ffff:a.b.c.d`). */
export function isMapped({ bytes }: Address): boolean {
  return bytes.length === 16 && bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0);
}

/** Returns the canonical text of an address that is not mapped (RFC 5952). */
export function addressText({ bytes }: Address): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => bytes[2 * index]! << 8 | bytes[2 * index + 1]!);
  let start = 8, length = 1; // the first of the longest runs of zeros, if it has two groups or more
  for (let from = 0; from < 8; from++) {
    let to = from;
    while (to < 8 && groups[to] === 0) to++;
    if (to - from > length) [start, length] = [from, to - from];
  }
  const text = (some: readonly number[]) => some.map((group) => group.toString(16)).join(":");
  return start === 8 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

export function prefixText({ address, bits }: Prefix): string {
  return `${addressText(address)}/${bits}`;
}

/** Returns the prefix with all bits after its length cleared. */
export function mask({ address, bits }: Prefix): Prefix {
  const bytes = address.bytes.map((byte, index) => byte & maskByte(bits, index));
  return { address: { bytes, zone: "" }, bits };
}

/** Whether two addresses of one family agree in so many bits. */
export function sameNetwork(a: Address, b: Address, bits: number): boolean {
  if (a.bytes.length !== b.bytes.length) return false;
  return a.bytes.every((byte, index) => ((byte ^ b.bytes[index]!) & maskByte(bits, index)) === 0);
}

function maskByte(bits: number, index: number): number {
  const within = Math.min(8, Math.max(0, bits - 8 * index));
  return 0xff << 8 - within & 0xff;
}
