/** Reads all entries of a kind at one revision. */
import type { StoredKind } from "../../catalog/catalog.ts";
import { nextTurn } from "../../../core/turns.ts";
import type { Revision, Store } from "../../store/store.ts";
import type { Filling, KindCache } from "../kind/kind-cache.ts";
import { pagesOf } from "./pages.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds after which a fill lets other work run, once it has decoded an entry. */
const fillTurnMs = bound(8);

/** The number of objects of a kind that a fill could not read, and the first error. */
export interface Unreadable {
  readonly kind: StoredKind;
  readonly count: number;
  /** The error of the first one, with its key. */
  readonly first: unknown;
}

/**
 * The store that a fill reads, and functions that are called with the number of objects of each page and with the objects that cannot be
 * read.
 */
export interface FillSource {
  readonly store: Store;
  readonly onPage: (objects: number) => void;
  readonly onUnreadable: (found: Unreadable) => void;
}

/** Reads the entries of a kind at one revision. The caller passes them to `reset` or `join` of the kind, or releases them with `giveUp`. */
export async function fillKind(
  { store, onPage, onUnreadable }: FillSource,
  kind: KindCache,
  at: Revision,
  signal: AbortSignal,
): Promise<Filling> {
  const filling: Filling = { revision: at, entries: [], broken: [] };
  const started = performance.now();
  let begun = started, first: unknown;
  try {
    for await (const page of pagesOf(store, kind.prefix, at, signal)) {
      kind.meter.listedStore(page.length, page.length);
      onPage(page.length);
      for (const { key, value, revision } of page) {
        const entry = kind.entryOf(key, revision, value, (error) => first ??= error);
        if (entry === undefined) filling.broken.push(key);
        else filling.entries.push(entry);
        if (performance.now() - begun < fillTurnMs) continue;
        await nextTurn();
        begun = performance.now();
      }
    }
  } catch (error) {
    kind.giveUp(filling);
    throw error;
  }
  kind.meter.read(filling.entries.length + filling.broken.length, performance.now() - started);
  if (filling.broken.length > 0) onUnreadable({ kind: kind.maker.kind, count: filling.broken.length, first });
  return filling;
}
