/**
 * Cuts of a chunk of the index into blocks that are compressed separately.
 *
 *   chunk:  a b c | d e f g | h i          a cut before d, because the hash of its key ends with zeros
 *
 * A cut depends on keys and on sizes since the cut before it. A change of one entry moves few cuts, so that blocks of other entries of the
 * chunk stay the same.
 */
import { limits } from "../../../core/limits.ts";
import type { Chunk } from "../index/key-index.ts";

/** Cuts are at one in so many keys: a power of two. */
const keysPerCut = 64;
const { blockBytesMin, blockBytesMax } = limits;

const known = new WeakMap<Chunk, readonly number[]>();

/** The positions at which the blocks of a chunk end, in ascending order. */
export function cutsOf(chunk: Chunk): readonly number[] {
  const before = known.get(chunk);
  if (before !== undefined) return before;
  const cuts: number[] = [];
  let bytes = 0;
  for (const [position, { key, length }] of chunk.entries()) {
    if (bytes > 0 && (bytes + length > blockBytesMax || (bytes >= blockBytesMin && isCut(key)))) {
      cuts.push(position);
      bytes = 0;
    }
    bytes += length;
  }
  cuts.push(chunk.length);
  known.set(chunk, cuts);
  return cuts;
}

/** Names often end with a number or with random characters: the last characters differ most. */
const hashedCharacters = 12;

function isCut(key: string): boolean {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, key.length - hashedCharacters); at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  // The low bits of this hash depend on few bits of the characters.
  return ((hash ^ (hash >>> 15)) & (keysPerCut - 1)) === 0;
}
