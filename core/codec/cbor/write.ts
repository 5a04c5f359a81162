/**
 * Writes data items in the form of upstream's deterministic encoder: shortest heads and floats, definite lengths, texts as byte strings,
 * keys in the order of their encoded bytes.
 */
import type { Json } from "../../schema.ts";
import { compareByBytes } from "../../tree/utf8.ts";
import { selfDescribed } from "./read.ts";
import { tags } from "./item.ts";

const toBytes = new TextEncoder();

export class CborWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** A copy of the bytes written so far. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  selfDescribed(): this {
    this.#reserve(selfDescribed.length);
    this.#bytes.set(selfDescribed, this.#at);
    this.#at += selfDescribed.length;
    return this;
  }
  array(length: number): this {
    return this.#head(4, length);
  }
  /** The caller must write `length` pairs of keys and values next, in the order of `compareKeys`. */
  map(length: number): this {
    return this.#head(5, length);
  }
  null(): this {
    return this.#head(7, 22);
  }
  boolean(value: boolean): this {
    return this.#head(7, value ? 21 : 20);
  }
  /** A whole number of up to 64 bits. */
  integer(value: number | bigint): this {
    return value >= 0 ? this.#head(0, value) : this.#head(1, typeof value === "number" ? -1 - value : -1n - value);
  }
  /** Bytes with the tag for base64 in JSON. */
  bytes(value: Uint8Array): this {
    this.#head(6, tags.base64);
    return this.#head(2, value.length).raw(value);
  }
  text(value: string): this {
    // Most texts are short ASCII: their length in bytes is known without encoding.
    if (value.length < 64) {
      const start = this.#at;
      this.#head(2, value.length).#reserve(value.length);
      for (let i = 0; i < value.length; i++) {
        const code = value.charCodeAt(i);
        if (code >= 0x80) {
          this.#at = start;
          return this.#encoded(value);
        }
        this.#bytes[this.#at++] = code;
      }
      return this;
    }
    return this.#encoded(value);
  }
  #encoded(value: string): this {
    const bytes = toBytes.encode(value);
    return this.#head(2, bytes.length).raw(bytes);
  }
  /** Items that are already encoded. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }
  float(value: number): this {
    this.#reserve(9);
    const half = halfBits(value);
    if (half !== undefined) {
      this.#view.setUint8(this.#at, 0xf9);
      this.#view.setUint16(this.#at + 1, half);
      this.#at += 3;
    } else if (Math.fround(value) === value) {
      this.#view.setUint8(this.#at, 0xfa);
      this.#view.setFloat32(this.#at + 1, value);
      this.#at += 5;
    } else {
      this.#view.setUint8(this.#at, 0xfb);
      this.#view.setFloat64(this.#at + 1, value);
      this.#at += 9;
    }
    return this;
  }

  #head(major: number, value: number | bigint): this {
    this.#reserve(9);
    const first = major << 5;
    if (value < 24) this.#view.setUint8(this.#at++, first | Number(value));
    else if (value < 0x100) {
      this.#view.setUint8(this.#at, first | 24);
      this.#view.setUint8(this.#at + 1, Number(value));
      this.#at += 2;
    } else if (value < 0x10000) {
      this.#view.setUint8(this.#at, first | 25);
      this.#view.setUint16(this.#at + 1, Number(value));
      this.#at += 3;
    } else if (value < 0x100000000) {
      this.#view.setUint8(this.#at, first | 26);
      this.#view.setUint32(this.#at + 1, Number(value));
      this.#at += 5;
    } else {
      this.#view.setUint8(this.#at, first | 27);
      this.#view.setBigUint64(this.#at + 1, BigInt(value));
      this.#at += 9;
    }
    return this;
  }
  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Returns a number as a sixteen-bit float; undefined if that would lose precision. */
function halfBits(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === 0) return sign;
  if (size >= 65536) return undefined;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const fraction = size / 2 ** (exponent - 10);
  if (!Number.isInteger(fraction) || fraction > 2047) return undefined;
  // Subnormal numbers have no leading one and an exponent of 0.
  return sign | (fraction < 1024 ? fraction : (exponent + 15 << 10) + (fraction - 1024));
}

/** Order of keys: by length in bytes, then by bytes. */
export function compareKeys(a: string, b: string): number {
  return byteLength(a) - byteLength(b) || compareByBytes(a, b);
}
// deno-lint-ignore no-control-regex -- the range of ASCII begins with control characters
const ascii = /^[\x00-\x7f]*$/;
function byteLength(text: string): number {
  return ascii.test(text) ? text.length : toBytes.encode(text).length;
}

/** Returns the own keys of an object, sorted by `compareKeys`. */
export function keysInOrder(object: object): readonly string[] {
  return Object.keys(object).sort(compareKeys);
}

/** Writes a value without a schema. Iterative, for values of any depth. */
export function writeJson(value: Json, to: CborWriter): void {
  const waiting: Json[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === null) to.null();
    else if (typeof next === "string") to.text(next);
    else if (typeof next === "boolean") to.boolean(next);
    else if (typeof next === "bigint") to.integer(next);
    else if (typeof next === "number") isInteger(next) ? to.integer(next) : to.float(next);
    else if (isList(next)) {
      to.array(next.length);
      for (let i = next.length - 1; i >= 0; i--) waiting.push(next[i]!);
    } else {
      const keys = keysInOrder(next);
      to.map(keys.length);
      for (let i = keys.length - 1; i >= 0; i--) waiting.push(next[keys[i]!]!, keys[i]!); // a key is written as any text
    }
  }
}

function isInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
