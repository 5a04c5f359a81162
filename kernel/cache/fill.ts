/** Reading all of a kind at one revision. */
import { pause } from "../store/clock.ts";
import type { Revision, Store } from "../store/store.ts";
import type { Filling, KindCache } from "./kind-cache.ts";

/** Entries that one request brings. */
const fillPage = 500;
/** Entries that are decoded in one turn of the event loop. */
const turnEntries = 100;

/** What a kind holds at a revision. Whoever asked makes it the kind's own, or gives its entries up. */
export async function fillKind(store: Store, kind: KindCache, at: Revision, signal: AbortSignal): Promise<Filling> {
  const filling: Filling = { revision: at, entries: [], broken: [] };
  try {
    await readAll(store, kind, filling, signal);
  } catch (error) {
    kind.giveUp(filling);
    throw error;
  }
  return filling;
}

async function readAll(store: Store, kind: KindCache, { revision: at, entries, broken }: Filling, signal: AbortSignal): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const range = { prefix: kind.prefix, ...(after === undefined ? {} : { after }) };
    const page = await store.list(range, { limit: fillPage, at, signal });
    for (const [index, { key, value, revision }] of page.entries.entries()) {
      const entry = kind.entryOf(key, revision, value);
      if (entry === undefined) broken.push(key);
      else entries.push(entry);
      if (index % turnEntries === turnEntries - 1) await pause(0, signal);
    }
    after = page.entries.at(-1)?.key;
    if (after === undefined || page.entries.length === page.count) return;
  }
}
