/**
 * Cuts of a chunk of the index into blocks that are compressed separately.
 *
 *   chunk:   a b c d e f g h        a block that begins with a may end before d, e or f, by its size
 *   hashes:  7 2 8 4 1 9 3 5        it ends before e, whose key has the lowest hash
 *
 * A change of one entry moves few cuts: mostly, the lowest hash is at the same entry. Other blocks of the chunk then have the same entries.
 */
import type { Chunk } from "../index/key-index.ts";
import { bound } from "../../../core/bound.ts";

/** Bytes of JSON of the smallest block of a list that is compressed once for all lists. Smaller blocks compress less. */
export const blockBytesMin = bound(64 * 1024);
/** Bytes of JSON of the largest block of several objects. A change of an object costs the compression of its block. */
export const blockBytesMax = bound(128 * 1024);

const known = new WeakMap<Chunk, readonly number[]>();

/** The positions at which the blocks of a chunk end, in ascending order. */
export function cutsOf(chunk: Chunk): readonly number[] {
  const before = known.get(chunk);
  if (before !== undefined) return before;
  const cuts: number[] = [];
  for (let from = 0; from < chunk.length;) cuts.push(from = endOf(chunk, from));
  known.set(chunk, cuts);
  return cuts;
}

/** The end of the block that begins at `from`. */
function endOf(chunk: Chunk, from: number): number {
  let bytes = 0, end = 0, lowest = Infinity;
  for (let at = from; at < chunk.length; at++) {
    const { key, length } = chunk[at]!;
    if (bytes >= blockBytesMin) {
      const hash = hashOf(key);
      if (hash < lowest) [end, lowest] = [at, hash];
    }
    if (at > from && bytes + length > blockBytesMax) return end > from ? end : at;
    bytes += length;
  }
  return chunk.length;
}

/**
 * Number of characters at the end of a name that are hashed. Names often end with a number or with random characters, so the last
 * characters differ most.
 */
const hashedCharacters = 12;

function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, key.length - hashedCharacters); at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  // The high bits of this hash hardly depend on the last characters.
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}
