/** Items of a list as they lie in slabs. */
import { limits } from "../../core/limits.ts";
import type { Item } from "../objects/objects.ts";
import type { Items } from "../reads/reads.ts";
import { type CachedEntry, type EntryMaker, itemOf } from "./index/entry.ts";
import type { Slab, Slabs } from "./index/slabs.ts";

type Runs = readonly (readonly CachedEntry[])[];

/** As many are looked at together; other requests may have their turn between them. */
const gatheredMax = 256;

/** The entries of all runs, one after the other: `all` there are between the first and the last, or some of them. */
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

/** The same, laid side by side where they lie apart: those who read them next, and all who read them later, find few views. */
function* sideBySide(slabs: Slabs, runs: Iterable<readonly CachedEntry[]>): Generator<readonly CachedEntry[]> {
  for (const run of runs) {
    for (let at = 0; at < run.length; at += gatheredMax) {
      const some = run.length <= gatheredMax ? run : run.slice(at, at + gatheredMax);
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
    // Nothing of an entry is remembered across a pause: it may have moved meanwhile, and views stay valid.
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
