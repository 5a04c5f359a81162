/** Items of a list as they lie in slabs. */
import type { Item } from "../objects.ts";
import { limits } from "../../core/limits.ts";
import type { Items } from "../reads.ts";
import { type CachedEntry, type EntryMaker, itemOf } from "./entry.ts";

export function cachedItems(maker: EntryMaker, entries: readonly CachedEntry[]): Items {
  return {
    length: entries.length,
    *[Symbol.iterator](): Generator<Item> {
      for (const entry of entries) yield itemOf(maker, entry);
    },
    json: { bytes: entries.reduce((sum, { length }) => sum + length + 1, 0), pieces: () => pieces(entries) },
  };
}

/**
 * The bytes of the entries with commas between them, as views of the slabs. Entries that lie side by side are one view:
 *
 *   slab: {a},{b},{c},{gone},{d},      list a b c d: "{a},{b},{c}," "{d}"
 */
function* pieces(entries: readonly CachedEntry[]): Generator<Uint8Array> {
  for (let index = 0; index < entries.length;) {
    const { slab, offset, length } = entries[index++]!;
    let end = offset + length;
    for (; index < entries.length && end - offset < limits.chunkBytes; index++) {
      const next = entries[index]!;
      if (next.slab !== slab || next.offset !== end + 1) break;
      end = next.offset + next.length;
    }
    yield slab.bytes.subarray(offset, index < entries.length ? end + 1 : end);
  }
}
