/** Items of lists, as views of cached entries. */
import type { Item } from "../objects/objects.ts";
import type { Items } from "../reads/reads.ts";
import { type BlockSent, blocksOf, type SharedBlocks } from "./blocks/shared-blocks.ts";
import { type CachedEntry, type EntryMaker, itemOf } from "./index/entry.ts";
import { runOf, type Span } from "./index/key-index.ts";
import { runBytes } from "./index/run-bytes.ts";
import type { Slabs } from "./index/slabs.ts";
import { bound } from "../../core/bound.ts";

/** Entries per step of a list. Other requests run between two steps. */
const listStepEntriesMax = bound(256);

type Runs = readonly (readonly CachedEntry[])[];

/** All entries between the first and the last one of a list. */
export function allItems(maker: EntryMaker, spans: readonly Span[], shared: SharedBlocks, sent: BlockSent): Items {
  const runs = spans.map(runOf);
  return {
    ...itemsOf(maker, runs),
    json: { pieces: () => runBytes(sideBySide(maker.slabs, runs)) },
    blocks: (form) => blocksOf(maker, spans, form, shared, sent),
  };
}

/** Entries that a selector has chosen: other lists rarely have the same ones side by side. */
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

/** The same runs, gathered into adjacent slab space where they are scattered: this list and later ones need fewer views. */
function* sideBySide(slabs: Slabs, runs: Iterable<readonly CachedEntry[]>): Generator<readonly CachedEntry[]> {
  for (const run of runs) {
    for (let at = 0; at < run.length; at += listStepEntriesMax) {
      const some = run.length <= listStepEntriesMax ? run : run.slice(at, at + listStepEntriesMax);
      slabs.gather(some);
      yield some;
    }
  }
}
