/** Reads DER strictly: an encoding that is valid in BER only is an error. */
import { derTag } from "./der.ts";

/** One encoded value. */
export interface DerValue {
  readonly tag: number;
  /** The bytes after the length. */
  readonly content: Uint8Array;
  /** Tag, length and content together. */
  readonly whole: Uint8Array;
}

/** Reads values one after the other. Every method throws for malformed bytes. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get empty(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The tag of the next value; undefined at the end. */
  get tag(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** The next value, with any tag. */
  any(): DerValue {
    const bytes = this.#bytes, from = this.#at;
    const tag = bytes[from], first = bytes[from + 1];
    if (tag === undefined || first === undefined) throw new Error("DER: value is cut short");
    if ((tag & 0x1f) === 0x1f) throw new Error("DER: unsupported tag");
    let start = from + 2, length = first;
    if (first >= 0x80) {
      const wide = first & 0x7f;
      if (wide === 0 || wide > 4) throw new Error("DER: unsupported length");
      length = 0;
      for (let i = 0; i < wide; i++) length = length * 256 + (bytes[start + i] ?? Infinity);
      if (length < 0x80 || bytes[start] === 0) throw new Error("DER: length is not minimal");
      start += wide;
    }
    const end = start + length;
    if (!(end <= bytes.length)) throw new Error("DER: value is cut short");
    this.#at = end;
    return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(from, end) };
  }

  /** The next value, which must have this tag. */
  value(tag: number): DerValue {
    const value = this.any();
    if (value.tag !== tag) throw new Error(`DER: tag ${value.tag} instead of ${tag}`);
    return value;
  }

  /** The next value if it has this tag. */
  optional(tag: number): DerValue | undefined {
    return this.tag === tag ? this.any() : undefined;
  }

  /** A reader of the content of the next value, which must have this tag. */
  inside(tag: number = derTag.sequence): DerReader {
    return new DerReader(this.value(tag).content);
  }

  boolean(): boolean {
    const { content } = this.value(derTag.boolean);
    if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw new Error("DER: BOOLEAN is neither 00 nor FF");
    return content[0] === 0xff;
  }

  /** The two's complement bytes of an INTEGER, which must be minimal. */
  integer(tag: number = derTag.integer): Uint8Array {
    const { content } = this.value(tag);
    const [first, second] = content;
    if (first === undefined) throw new Error("DER: empty INTEGER");
    if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) {
      throw new Error("DER: INTEGER is not minimal");
    }
    return content;
  }

  /** An INTEGER from 0 to 2^53-1; larger values are capped. Throws for negative ones and those of more than 64 bits. */
  count(tag?: number): number {
    const bytes = this.integer(tag);
    if (isNegative(bytes) || bytes.length > 8) throw new Error("DER: INTEGER is out of range");
    return Math.min(Number.MAX_SAFE_INTEGER, bytes.reduce((sum, byte) => sum * 256 + byte, 0));
  }

  /** The dotted form of an OBJECT IDENTIFIER whose arcs are below 2^31. */
  oid(): string {
    const { content } = this.value(derTag.oid);
    const arcs: number[] = [];
    let arc = 0, begins = true;
    for (const byte of content) {
      if ((begins && byte === 0x80) || arc >= 2 ** 24) throw new Error("DER: malformed OBJECT IDENTIFIER");
      arc = arc * 128 + (byte & 0x7f);
      begins = byte < 0x80;
      if (!begins) continue;
      if (arcs.length > 0) arcs.push(arc);
      else arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
      arc = 0;
    }
    if (!begins || arcs.length === 0) throw new Error("DER: malformed OBJECT IDENTIFIER");
    return arcs.join(".");
  }

  /** The bytes of a BIT STRING, shifted right by the unused bits, so that the last bit is the last of the string. */
  bits(): Uint8Array {
    const { bytes, unused } = this.bitString();
    if (unused === 0) return bytes;
    return bytes.map((byte, i) => (byte >> unused) | ((bytes[i - 1] ?? 0) << (8 - unused)));
  }

  /** The bytes of a BIT STRING, not shifted: bit 0 is the highest of the first byte. */
  flags(): Uint8Array {
    return this.bitString().bytes;
  }

  private bitString(): { readonly bytes: Uint8Array; readonly unused: number } {
    const { content } = this.value(derTag.bitString);
    const unused = content[0], bytes = content.subarray(1);
    const last = bytes.at(-1) ?? 0;
    if (unused === undefined || unused > 7 || (bytes.length === 0 && unused > 0) || (last & ((1 << unused) - 1)) !== 0) {
      throw new Error("DER: malformed BIT STRING");
    }
    return { bytes, unused };
  }

  /** A UTCTime or GeneralizedTime in milliseconds since the epoch. As in Go, UTCTime may omit the seconds, and both may have an offset
   *  instead of Z. */
  time(): number {
    const { tag, content } = this.any();
    const text = Buffer.from(content.subarray(0, longestTime)).toString("latin1");
    const parts = content.length > longestTime ? null : timeForms.get(tag)?.exec(text);
    if (parts == null) throw new Error("DER: malformed time");
    const [, year = "", month, day, hour, minute, second = "00", zone = "Z"] = parts;
    const full = year.length === 4 ? year : `${Number(year) < 50 ? "20" : "19"}${year}`;
    const local = `${full}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
    const ms = Date.parse(local);
    if (Number.isNaN(ms) || new Date(ms).toISOString() !== local) throw new Error("DER: no such time");
    return ms - offsetMs(zone);
  }
}

const longestTime = "20060102150405+0700".length;
const timeForms: ReadonlyMap<number, RegExp> = new Map([
  [derTag.utcTime, /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d\d\d)$/],
  [derTag.generalizedTime, /^(\d\d\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d\d\d\d)$/],
]);
/** An offset of zero must be encoded as Z. */
function offsetMs(zone: string): number {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3)), minutes = Number(zone.slice(3));
  if (hours > 24 || minutes > 59 || hours + minutes === 0) throw new Error("DER: no such time zone");
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Whether an INTEGER is negative. */
export function isNegative(integer: Uint8Array): boolean {
  return (integer[0] ?? 0) >= 0x80;
}
/** Whether an INTEGER is above zero. */
export function isPositive(integer: Uint8Array): boolean {
  return !isNegative(integer) && integer.some((byte) => byte !== 0);
}
/** Returns the value of a non-negative INTEGER. */
export function bigInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`);
}
