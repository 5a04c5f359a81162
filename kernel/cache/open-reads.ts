import { createRegistry } from "../../metrics/mod.ts";
import type { Catalog, StoredKind } from "../catalog/catalog.ts";
import { isUncached, lostHistory, type Reads } from "../reads/reads.ts";
import { type Clock, systemClock } from "../../core/async.ts";
import type { Store } from "../store/store.ts";
import { cachedReads } from "./cached-reads.ts";
import { keepConsistent } from "./consistency.ts";
import { entryMaker } from "./index/entry.ts";
import { KindCache } from "./kind/kind-cache.ts";
import { openWatches } from "./watch/open-watches.ts";
import { ownWrites } from "./index/own-writes.ts";
import { cacheMeter, cacheMetrics, type CacheRecord } from "./metrics.ts";
import { RecentObjects } from "./index/recent-objects.ts";
import type { RingBounds } from "./kind/ring.ts";
import { Slabs } from "./index/slabs.ts";
import { attributesReader } from "./index/attributes.ts";
import { type CacheState, WatchCache } from "./watch-cache.ts";

export interface ReadsOptions {
  readonly clock?: Clock;
  /** Told of each failure that makes the cache begin anew. */
  readonly onError?: (error: unknown) => void;
  /** Where what happens is counted. */
  readonly record?: CacheRecord;
  /** What is remembered of each kind's changes. */
  readonly bounds?: Partial<RingBounds>;
  /** How long a read waits while the cache is filled; then the store answers, or nobody does (429). */
  readonly fillWaitMs?: number;
  /** How long earlier states are retained for lists at a version and for the rest of chunked lists (upstream's 75 s). */
  readonly snapshotMs?: number;
  /** How often the cache is compared with the store (upstream's five minutes); 0 is never. */
  readonly checkEveryMs?: number;
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
  /**
   * Caches what this catalog serves: kinds that are new to it are read while the store answers for them, those that are gone are
   * forgotten. A watch of what it does not serve ends with an ERROR event that holds the 404 of a new request; of a kind whose
   * definition is another now it ends without a word. Requests under way finish either way. Resolves when what is new is filled,
   * or is not wanted any more.
   */
  adopt(catalog: Catalog): Promise<void>;
  /** Brings what is recorded up to date that changes too often to be recorded each time. */
  tell(): void;
  /** Ends all watches and the cache's own; the store stays open. */
  close(): Promise<void>;
}

const bounds: RingBounds = { keptMs: 5 * 60_000, bytesMax: 64 * 1024 * 1024, eventsMax: 100_000 };

/**
 * Reads that are answered from memory. Resolves when the cache is filled, or when that takes too long: until it is filled,
 * the store itself answers where upstream lets it.
 */
export async function openReads(store: Store, catalog: Catalog, prefix: string, options: ReadsOptions = {}): Promise<OpenedReads> {
  const { clock = systemClock, onError = () => {}, record = createRegistry(cacheMetrics).record } = options;
  const kept = { ...bounds, ...options.bounds };
  const slabs = new Slabs(kept.keptMs, () => clock.now());
  const recent = new RecentObjects();
  const cacheOf = (kind: StoredKind, of: Catalog): KindCache => {
    const maker = entryMaker(kind, slabs, recent, attributesReader(kind, of));
    return new KindCache({
      maker,
      prefix: `${prefix}/${kind.under}/`,
      meter: cacheMeter(record, kind),
      bounds: kept,
      snapshotMs: options.snapshotMs ?? 75_000,
    });
  };
  const own = ownWrites(store, (key) => cache.kindAt(key) !== undefined, (revision) => cache.forget(revision));
  const open = openWatches(catalog);
  const cache = new WatchCache({
    store,
    kinds: cachedKinds(catalog).map((kind) => cacheOf(kind, catalog)),
    prefix,
    clock,
    own,
    onError,
    onSetBack: () => open.failAll(lostHistory()),
  });
  let served = catalog;
  const reads = cachedReads({
    cache,
    store,
    clock,
    fillWaitMs: options.fillWaitMs ?? 1_000,
    snapshots: () => served.gates.isOn("ListFromCacheSnapshot"),
    open,
    isWritten: own.isWritten,
    listedStore: (kind, evaluated, returned) => cacheMeter(record, kind).listedStore(evaluated, returned),
  });
  async function adopt(next: Catalog): Promise<void> {
    served = next;
    open.adopt(next);
    const wanted = new Set(cachedKinds(next));
    for (const { maker } of cache.kinds) if (!wanted.delete(maker.kind)) cache.remove(maker.kind);
    await Promise.all(Array.from(wanted, (kind) => cache.add(cacheOf(kind, next))));
  }
  const closing = new AbortController();
  const { checkEveryMs = 300_000 } = options;
  const checking = checkEveryMs === 0 ? Promise.resolve() : keepConsistent({
    cache,
    store,
    clock,
    everyMs: checkEveryMs,
    wanted: () => served.gates.isOn("DetectCacheInconsistency"),
    signal: closing.signal,
  });
  await cache.ready(options.openWaitMs ?? 60_000, new AbortController().signal);
  return {
    reads,
    store: own.store,
    state: () => cache.state,
    size: () => ({ slabBytes: slabs.bytes, watches: cache.kinds.reduce((sum, kind) => sum + kind.followerCount, 0) }),
    adopt,
    tell() {
      for (const { meter } of cache.kinds) meter.reached(cache.revision);
    },
    async close() {
      closing.abort();
      await Promise.all([cache.close(), checking]);
    },
  };
}

/** The kinds that some version shows, but for those that are read from the store. */
function cachedKinds(catalog: Catalog): readonly StoredKind[] {
  const shown = new Set(
    catalog.groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints.map(({ stored }) => stored))),
  );
  return catalog.stored.filter((kind) => shown.has(kind) && !isUncached(kind));
}
