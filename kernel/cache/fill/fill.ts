/** Reads all entries of a kind at one revision. */
import { limits } from "../../../core/limits.ts";
import { pause } from "../../../core/async.ts";
import type { Revision, Store } from "../../store/store.ts";
import type { Filling, KindCache } from "../kind/kind-cache.ts";
import { pagesOf } from "./pages.ts";

/** Where a fill reads, and who is told the number of objects of each page. */
export interface FillSource {
  readonly store: Store;
  readonly onPage: (objects: number) => void;
}

/** The entries of a kind at a revision. The caller passes them to `reset` or `join` of the kind, or releases them with `giveUp`. */
export async function fillKind({ store, onPage }: FillSource, kind: KindCache, at: Revision, signal: AbortSignal): Promise<Filling> {
  const filling: Filling = { revision: at, entries: [], broken: [] };
  let decoded = 0;
  try {
    for await (const page of pagesOf(store, kind.prefix, at, signal)) {
      kind.meter.listedStore(page.length, page.length);
      onPage(page.length);
      for (const { key, value, revision } of page) {
        const entry = kind.entryOf(key, revision, value);
        if (entry === undefined) filling.broken.push(key);
        else filling.entries.push(entry);
        if (++decoded % limits.fillTurnEntriesMax === 0) await pause(0, signal);
      }
    }
  } catch (error) {
    kind.giveUp(filling);
    throw error;
  }
  return filling;
}
