import type { Catalog, StoredKind } from "../catalog.ts";
import { isUncached, type Reads } from "../reads.ts";
import { type Clock, systemClock } from "../store/clock.ts";
import type { Store } from "../store/store.ts";
import { cachedReads } from "./cached-reads.ts";
import { type Checked, keepConsistent } from "./consistency.ts";
import { entryMaker } from "./entry.ts";
import { KindCache } from "./kind-cache.ts";
import { ownWrites } from "./own-writes.ts";
import type { RingBounds } from "./ring.ts";
import { Slabs } from "./slabs.ts";
import { traitsReader } from "./traits.ts";
import { type CacheState, WatchCache } from "./watch-cache.ts";

export interface ReadsOptions {
  readonly clock?: Clock;
  /** Told of each failure that makes the cache begin anew. */
  readonly onError?: (error: unknown) => void;
  /** Told of each watch that was ended because its client did not read. */
  readonly onSlow?: (kind: StoredKind) => void;
  /** What is remembered of each kind's changes. */
  readonly bounds?: Partial<RingBounds>;
  /** How long a read waits while the cache is filled; then the store answers, or nobody does (429). */
  readonly fillWaitMs?: number;
  /** How long what a chunked list began with is kept for its rest (upstream's 75 s). */
  readonly snapshotMs?: number;
  /** How often the cache is compared with the store (upstream's five minutes); 0 is never. */
  readonly checkEveryMs?: number;
  /** Told of each comparison. */
  readonly onChecked?: (kind: StoredKind, checked: Checked) => void;
  /** How long opening waits for the first fill, which goes on after that. */
  readonly openWaitMs?: number;
}

export interface OpenedReads {
  readonly reads: Reads;
  /** The store to write through: the cache then knows its own bytes, and forgets what is compacted. */
  readonly store: Store;
  readonly state: () => CacheState;
  /** Bytes of entries, and how many watches follow. */
  readonly size: () => { readonly slabBytes: number; readonly watches: number };
  /** Ends all watches and the cache's own; the store stays open. */
  close(): Promise<void>;
}

const bounds: RingBounds = { keptMs: 5 * 60_000, bytesMax: 64 * 1024 * 1024, eventsMax: 100_000 };

/**
 * Reads that are answered from memory. Resolves when the cache is filled, or when that takes too long: until it is filled,
 * the store itself answers where upstream lets it.
 */
export async function openReads(store: Store, catalog: Catalog, prefix: string, options: ReadsOptions = {}): Promise<OpenedReads> {
  const { clock = systemClock, onError = () => {}, onSlow = () => {} } = options;
  const slabs = new Slabs();
  const kinds = new Map(
    catalog.stored.filter((kind) => !isUncached(kind)).map((kind) => {
      const maker = entryMaker(kind, slabs, traitsReader(kind, catalog));
      return [kind.under, new KindCache(maker, `${prefix}/${kind.under}/`, { ...bounds, ...options.bounds })];
    }),
  );
  const own = ownWrites(store, (key) => cache.kindAt(key) !== undefined, (revision) => cache.forget(revision));
  const cache = new WatchCache({ store, kinds, prefix, clock, own, onError });
  const reads = cachedReads({
    cache,
    store,
    clock,
    fillWaitMs: options.fillWaitMs ?? 1_000,
    snapshotMs: options.snapshotMs ?? 75_000,
    onSlow,
  });
  const closing = new AbortController();
  const { checkEveryMs = 300_000, onChecked = () => {} } = options;
  const checking = checkEveryMs === 0
    ? Promise.resolve()
    : keepConsistent({ cache, store, clock, everyMs: checkEveryMs, onChecked, signal: closing.signal });
  await cache.ready(options.openWaitMs ?? 60_000, new AbortController().signal);
  return {
    reads,
    store: own.store,
    state: () => cache.state,
    size: () => ({ slabBytes: slabs.bytes, watches: [...kinds.values()].reduce((sum, kind) => sum + kind.followerCount, 0) }),
    async close() {
      closing.abort();
      await Promise.all([cache.close(), checking]);
    },
  };
}
