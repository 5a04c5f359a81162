import type { CachedEntry } from "./entry.ts";
import type { Slab } from "./slabs.ts";
import { chunkBytes } from "../../objects/chunks.ts";

/**
 * The bytes of the entries with commas between them, as views of the slabs. Entries that lie side by side are one view:
 *
 *   slab: {a},{b},{c},{gone},{d},      list a b c d: "{a},{b},{c}," "{d}"
 */
export function* runBytes(runs: Iterable<readonly CachedEntry[]>): Generator<Uint8Array> {
  let slab: Slab | undefined;
  let from = 0, end = 0;
  for (const run of runs) {
    // Nothing about an entry is remembered across a yield, because the entry may have moved. Views stay valid.
    for (const entry of run) {
      if (slab !== undefined && entry.slab === slab && entry.offset === end + 1 && end - from < chunkBytes) {
        end = entry.offset + entry.length;
        continue;
      }
      if (slab !== undefined) yield slab.bytes.subarray(from, end + 1);
      slab = entry.slab;
      from = entry.offset;
      end = from + entry.length;
    }
  }
  if (slab !== undefined) yield slab.bytes.subarray(from, end);
}
