/** Reading all of a kind at one revision. */
import { pause } from "../../../core/async.ts";
import type { Revision, Store } from "../../store/store.ts";
import type { Filling, KindCache } from "../kind/kind-cache.ts";
import { pagesOf } from "./pages.ts";

/** Entries that are decoded in one turn of the event loop. */
const turnEntries = 100;

/** What a kind holds at a revision. Whoever asked makes it the kind's own, or gives its entries up. */
export async function fillKind(store: Store, kind: KindCache, at: Revision, signal: AbortSignal): Promise<Filling> {
  const filling: Filling = { revision: at, entries: [], broken: [] };
  let decoded = 0;
  try {
    for await (const page of pagesOf(store, kind.prefix, at, signal)) {
      kind.meter.listedStore(page.length, page.length);
      for (const { key, value, revision } of page) {
        const entry = kind.entryOf(key, revision, value);
        if (entry === undefined) filling.broken.push(key);
        else filling.entries.push(entry);
        if (++decoded % turnEntries === 0) await pause(0, signal);
      }
    }
  } catch (error) {
    kind.giveUp(filling);
    throw error;
  }
  return filling;
}
