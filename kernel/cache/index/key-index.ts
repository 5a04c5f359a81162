/**
 * Entries in the order of their keys, as an immutable value: a change returns a new index that shares all chunks but one with the
 * old one. A reference to an index is therefore a snapshot.
 *
 *   chunks: [a b c] [d e f] [g h i]      with d' : [a b c] [d' e f] [g h i]
 *              ^                                       ^ new
 *              shared
 */
import type { CachedEntry } from "./entry.ts";

export type Chunk<E = CachedEntry> = readonly E[];

/** Entries of a chunk, from one position up to another. A chunk never changes. */
export interface Span<E = CachedEntry> {
  readonly chunk: Chunk<E>;
  readonly from: number;
  readonly to: number;
}

const chunkMax = 256;

/** A place between entries: before `chunks[chunk][at]`. */
interface Position {
  readonly chunk: number;
  readonly at: number;
}

export class KeyIndex<E extends { readonly key: string } = CachedEntry> {
  readonly size: number;
  readonly #chunks: readonly Chunk<E>[];
  /** The number of entries before each chunk; undefined until it is first needed. The pages of a list use it many times. */
  #before: readonly number[] | undefined;

  private constructor(chunks: readonly Chunk<E>[], size: number) {
    this.#chunks = chunks;
    this.size = size;
  }

  /** An index of `entries`, which must be in the order of their keys. */
  static of<E extends { readonly key: string } = CachedEntry>(entries: readonly E[]): KeyIndex<E> {
    const chunks: Chunk<E>[] = [];
    for (let at = 0; at < entries.length; at += chunkMax / 2) chunks.push(entries.slice(at, at + chunkMax / 2));
    return new KeyIndex(chunks, entries.length);
  }

  get(key: string): E | undefined {
    const { chunk, at } = this.#notBefore(key);
    const entry = this.#chunks[chunk]?.[at];
    return entry?.key === key ? entry : undefined;
  }

  /** A new index with this entry; it replaces the entry with the same key. */
  with(entry: E): KeyIndex<E> {
    const { chunk, at } = this.#notBefore(entry.key);
    // A key after all others belongs to no chunk: it is appended to the last one.
    const index = chunk === this.#chunks.length ? Math.max(0, chunk - 1) : chunk;
    const old = this.#chunks[index] ?? [];
    const place = chunk === index ? at : old.length;
    const replaces = old[place]?.key === entry.key;
    return this.#changed(index, old.toSpliced(place, replaces ? 1 : 0, entry), replaces ? 0 : 1);
  }

  without(key: string): KeyIndex<E> {
    const { chunk, at } = this.#notBefore(key);
    const old = this.#chunks[chunk];
    if (old?.[at]?.key !== key) return this;
    return this.#changed(chunk, old.toSpliced(at, 1), -1);
  }

  /** The entries whose keys begin with `prefix`, from the key `start` on. */
  *spans(prefix: string, start?: string): Generator<Span<E>> {
    const from = this.#from(prefix, start), to = this.#end(prefix);
    for (let index = from.chunk; index <= to.chunk; index++) {
      const chunk = this.#chunks[index];
      if (chunk === undefined) return;
      const first = index === from.chunk ? from.at : 0, end = index === to.chunk ? to.at : chunk.length;
      if (first < end) yield { chunk, from: first, to: end };
    }
  }

  /** Yields the same entries as arrays, one for each span. */
  *runs(prefix: string, start?: string): Generator<Chunk<E>> {
    for (const span of this.spans(prefix, start)) yield runOf(span);
  }

  /** The chunks, in order. Two indexes share those that do not differ. */
  get chunks(): readonly Chunk<E>[] {
    return this.#chunks;
  }

  /** The number of entries whose keys begin with `prefix`, from the key `start` on. */
  count(prefix: string, start?: string): number {
    return Math.max(0, this.#rank(this.#end(prefix)) - this.#rank(this.#from(prefix, start)));
  }

  #changed(index: number, chunk: Chunk<E>, more: number): KeyIndex<E> {
    const half = Math.ceil(chunk.length / 2);
    const parts = chunk.length === 0 ? [] : chunk.length > chunkMax ? [chunk.slice(0, half), chunk.slice(half)] : [chunk];
    return new KeyIndex(this.#chunks.toSpliced(index, 1, ...parts), this.size + more);
  }

  #from(prefix: string, start: string | undefined): Position {
    const first = start !== undefined && compareKeys(start, prefix) > 0 ? start : prefix;
    return this.#notBefore(first);
  }
  /** The first position after all keys that begin with `prefix`. */
  #end(prefix: string): Position {
    const isPast = (key: string) => compareKeys(key, prefix) > 0 && !key.startsWith(prefix);
    const chunk = firstOf(this.#chunks.length, (index) => isPast(this.#chunks[index]!.at(-1)!.key));
    const entries = this.#chunks[chunk];
    return { chunk, at: entries === undefined ? 0 : firstOf(entries.length, (index) => isPast(entries[index]!.key)) };
  }
  #rank({ chunk, at }: Position): number {
    this.#before ??= entriesBefore(this.#chunks);
    return (this.#before[chunk] ?? this.size) + at;
  }

  /** Returns the first position whose key is not before `key`. Every read of one object calls this, so it allocates no closures. */
  #notBefore(key: string): Position {
    // If the first character of one text is below the surrogates, UTF-16 order equals byte order.
    const plain = !unordered.test(key);
    const chunks = this.#chunks;
    let chunk = 0;
    for (let high = chunks.length; chunk < high;) {
      const middle = (chunk + high) >>> 1, keys = chunks[middle]!, last = keys[keys.length - 1]!.key;
      if (plain ? last < key : compareKeys(last, key) < 0) chunk = middle + 1;
      else high = middle;
    }
    const entries = chunks[chunk];
    let at = 0;
    for (let high = entries?.length ?? 0; at < high;) {
      const middle = (at + high) >>> 1, other = entries![middle]!.key;
      if (plain ? other < key : compareKeys(other, key) < 0) at = middle + 1;
      else high = middle;
    }
    return { chunk, at };
  }
}

/** The entries of a span. */
export function runOf<E>({ chunk, from, to }: Span<E>): Chunk<E> {
  return from === 0 && to === chunk.length ? chunk : chunk.slice(from, to);
}

function entriesBefore(chunks: readonly Chunk<unknown>[]): readonly number[] {
  const before: number[] = [];
  let rank = 0;
  for (const { length } of chunks) {
    before.push(rank);
    rank += length;
  }
  return before;
}

/** Characters whose order differs between UTF-16 and UTF-8. */
const unordered = /[\ud800-\uffff]/;

/** Returns the first index below `length` for which `past` holds, or `length` if there is none. */
function firstOf(length: number, past: (index: number) => boolean): number {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (past(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Compares keys by the byte order of their UTF-8 form, without encoding them: surrogates come after all other UTF-16 units. */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const x = a.charCodeAt(index), y = b.charCodeAt(index);
    if (x !== y) return rankOf(x) - rankOf(y);
  }
  return a.length - b.length;
}
function rankOf(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
