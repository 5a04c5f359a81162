/** Makes the items of list responses from cached entries, without copying their bytes. */
import type { Item } from "../objects/objects.ts";
import type { Items } from "../reads/reads.ts";
import { type BlockSent, blocksOf, type SharedBlocks } from "./blocks/shared-blocks.ts";
import { type CachedEntry, type EntryMaker, itemOf } from "./index/entry.ts";
import { runOf, type Span } from "./index/key-index.ts";
import { runBytes } from "./index/run-bytes.ts";
import type { Slabs } from "./index/slabs.ts";
import { bound } from "../../core/bound.ts";

/** Maximum number of entries that a list handles in one step. Other requests run between two steps. */
const listStepEntriesMax = bound(256);

type Runs = readonly (readonly CachedEntry[])[];

/** Returns all entries between the first and the last one of a list as its items. */
export function allItems(maker: EntryMaker, spans: readonly Span[], shared: SharedBlocks, sent: BlockSent): Items {
  const runs = spans.map(runOf);
  return {
    ...itemsOf(maker, runs),
    json: { pieces: () => runBytes(sideBySide(maker.slabs, runs)) },
    blocks: (form) => blocksOf(maker, spans, form, shared, sent),
  };
}

/**
 * Returns the entries that a selector has chosen as items. They have no shared blocks: other lists rarely have the same entries side by
 * side.
 */
export function someItems(maker: EntryMaker, entries: readonly CachedEntry[]): Items {
  return { ...itemsOf(maker, [entries]), json: { pieces: () => runBytes([entries]) } };
}

function itemsOf(maker: EntryMaker, runs: Runs): Items {
  let length = 0;
  for (const run of runs) length += run.length;
  return {
    length,
    *[Symbol.iterator](): Generator<Item> {
      for (const run of runs) for (const entry of run) yield itemOf(maker, entry);
    },
  };
}

/**
 * Yields the same runs. Entries that are scattered in the slabs are first moved side by side, so that this list and later ones need fewer
 * views.
 */
function* sideBySide(slabs: Slabs, runs: Iterable<readonly CachedEntry[]>): Generator<readonly CachedEntry[]> {
  for (const run of runs) {
    for (let at = 0; at < run.length; at += listStepEntriesMax) {
      const some = run.length <= listStepEntriesMax ? run : run.slice(at, at + listStepEntriesMax);
      slabs.gather(some);
      yield some;
    }
  }
}
