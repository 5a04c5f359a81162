import type { Range } from "./store.ts";

const encoder = new TextEncoder();
// Without ignoreBOM a leading U+FEFF would be dropped from the key.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function encodeKey(key: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(key);
}

export function decodeKey(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * The half-open interval of a range's keys: `from <= key < to`. Keys are ordered by their UTF-8 bytes. The first key past a prefix is
 * the prefix with its last byte incremented (UTF-8 has no 0xff, so one byte is enough). The first key after a key is that key with a
 * zero byte appended. An undefined `to` means no upper bound; `from` is never empty, because no key is.
 */
export function keyBounds(range: Range): { from: Uint8Array<ArrayBuffer>; to: Uint8Array<ArrayBuffer> | undefined } {
  const prefix = encodeKey(range.prefix);
  const after = range.after === undefined ? undefined : encodeKey(`${range.after}\0`);
  const from = after !== undefined && compareBytes(after, prefix) > 0 ? after : prefix;
  if (prefix.length === 0) {
    return { from: from.length === 0 ? new Uint8Array(1) : from, to: range.upTo === undefined ? undefined : encodeKey(`${range.upTo}\0`) };
  }
  const to = prefix.slice();
  const last = to.length - 1;
  to[last] = (to[last] ?? 0) + 1;
  const upTo = range.upTo === undefined ? undefined : encodeKey(`${range.upTo}\0`);
  return { from, to: upTo !== undefined && compareBytes(upTo, to) < 0 ? upTo : to };
}

/** Whether a key is in a range. */
export function inRange(key: string, range: Range): boolean {
  if (!key.startsWith(range.prefix) || (range.after !== undefined && compareKeys(key, range.after) <= 0)) return false;
  return range.upTo === undefined || compareKeys(key, range.upTo) <= 0;
}

/** Compares keys by their UTF-8 bytes; UTF-16 order differs above U+D7FF. */
export function compareKeys(a: string, b: string): number {
  return a === b ? 0 : compareBytes(encodeKey(a), encodeKey(b));
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
