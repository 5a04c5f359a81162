/** List items as views of the slabs that hold their bytes. */
import { limits } from "../../core/limits.ts";
import type { Item } from "../objects/objects.ts";
import type { Items } from "../reads/reads.ts";
import { type CachedEntry, type EntryMaker, itemOf } from "./index/entry.ts";
import type { Slab, Slabs } from "./index/slabs.ts";

type Runs = readonly (readonly CachedEntry[])[];

/**
 * The items of a list.
 *
 * @param maker makes items of entries of this kind
 * @param runs the runs of entries, in order
 * @param which whether the runs hold all entries between the first and the last, or only some of them
 */
export function cachedItems(maker: EntryMaker, runs: Runs, which: "all" | "some"): Items {
  let length = 0;
  for (const run of runs) length += run.length;
  return {
    length,
    *[Symbol.iterator](): Generator<Item> {
      for (const run of runs) for (const entry of run) yield itemOf(maker, entry);
    },
    json: { pieces: () => pieces(which === "all" ? sideBySide(maker.slabs, runs) : runs) },
  };
}

/** The same runs, gathered into adjacent slab space where they are scattered: this list and later ones need fewer views. */
function* sideBySide(slabs: Slabs, runs: Iterable<readonly CachedEntry[]>): Generator<readonly CachedEntry[]> {
  for (const run of runs) {
    for (let at = 0; at < run.length; at += limits.listStepEntriesMax) {
      const some = run.length <= limits.listStepEntriesMax ? run : run.slice(at, at + limits.listStepEntriesMax);
      slabs.gather(some);
      yield some;
    }
  }
}

/**
 * The bytes of the entries with commas between them, as views of the slabs. Entries that lie side by side are one view:
 *
 *   slab: {a},{b},{c},{gone},{d},      list a b c d: "{a},{b},{c}," "{d}"
 */
function* pieces(runs: Iterable<readonly CachedEntry[]>): Generator<Uint8Array> {
  let slab: Slab | undefined;
  let from = 0, end = 0;
  for (const run of runs) {
    // No state of an entry is kept across a yield: the entry may have moved. Views stay valid.
    for (const entry of run) {
      if (slab !== undefined && entry.slab === slab && entry.offset === end + 1 && end - from < limits.chunkBytes) {
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
