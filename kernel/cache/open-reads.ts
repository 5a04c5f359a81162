import { createRegistry } from "../../metrics/mod.ts";
import type { Catalog, StoredKind } from "../catalog/catalog.ts";
import type { Listed } from "../reads/direct-reads.ts";
import { isReadFromStore, lostHistory, type Reads } from "../reads/reads.ts";
import { type Clock, elapsedClock } from "../../core/async.ts";
import type { Revision, Store } from "../store/store.ts";
import { sharedBlocks } from "./blocks/shared-blocks.ts";
import { CachedReads } from "./cached-reads.ts";
import type { Unreadable } from "./fill/fill.ts";
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
import { type CacheState, type Traced, WatchCache } from "./watch-cache.ts";

export interface ReadsOptions {
  readonly clock?: Clock;
  /** Called for each failure after which the cache is filled again. */
  readonly onError?: (error: unknown) => void;
  /** Records the metrics of the cache. */
  readonly record?: CacheRecord;
  /** Called for each page that a fill reads, with its number of objects. */
  readonly onPage?: (objects: number) => void;
  /** Called for each kind of which a fill could not read some objects. Requests that need these objects fail; the others are served. */
  readonly onUnreadable?: (found: Unreadable) => void;
  /** Runs a fill as a span with this name. Without it, fills run without spans. */
  readonly traced?: Traced;
  /** Bounds of each kind's event ring. */
  readonly bounds?: Partial<RingBounds>;
  /** Milliseconds that a read waits while the cache is being filled. Afterwards the store answers it, or it ends with 429. */
  readonly fillWaitMs?: number;
  /** Milliseconds that earlier states are retained for lists at a version and for later chunks of a list (upstream: 75 s). */
  readonly snapshotMs?: number;
  /** Milliseconds between two comparisons of the cache with the store (upstream: five minutes); 0 disables them. */
  readonly checkEveryMs?: number;
  /** Milliseconds without a page of the first fill after which `openReads` no longer waits for it; it then continues in the background. */
  readonly openWaitMs?: number;
  /** The contents to begin with: those of a cache of the same kinds, whose store has the same history. */
  readonly like?: CacheContents;
}

/** The contents of a cache at one moment. Bytes are shared with it. */
export interface CacheContents {
  readonly revision: Revision;
  /** The newest revision of a later state that was given up: watches from it end with Expired. */
  readonly lost?: Revision;
  readonly slabs: Slabs;
  readonly recent: RecentObjects;
  readonly kinds: ReadonlyMap<StoredKind, KindCache>;
}

export interface OpenedReads {
  readonly reads: Reads;
  /** The store for writes. Writes through it let the cache recognise its own bytes and drop compacted history. */
  readonly store: Store;
  readonly state: () => CacheState;
  /** Returns the contents, for a cache that is opened in this turn; undefined while the cache is not current. */
  readonly contents: () => CacheContents | undefined;
  /** Returns the bytes of entries and of compressed blocks, and the number of open watches. */
  readonly size: () => { readonly slabBytes: number; readonly blockBytes: number; readonly watches: number };
  /**
   * Caches the kinds of this catalog. New kinds are read while the store answers for them; removed kinds are dropped. A watch of a
   * removed kind ends with an ERROR event that holds the 404 of a new request. A watch of a kind with another definition ends without
   * an event. Requests in progress finish either way. Resolves when the new kinds are filled or removed again.
   */
  adopt(catalog: Catalog): Promise<void>;
  /** Updates the metrics that change too often to be recorded at each change. */
  updateMetrics(): void;
  /** Ends all watches of clients and the cache's watch of the store. The store stays open. */
  close(): Promise<void>;
}

const bounds: RingBounds = { keptMs: 5 * 60_000, bytesMax: 64 * 1024 * 1024, eventsMax: 100_000 };
const defaults: Required<Omit<ReadsOptions, "record" | "bounds" | "like">> = {
  clock: elapsedClock,
  onError() {},
  onPage() {},
  onUnreadable() {},
  traced: (_name, _attributes, run) => run(),
  fillWaitMs: 1_000,
  snapshotMs: 75_000,
  checkEveryMs: 300_000,
  openWaitMs: 60_000,
};

/**
 * Opens reads that are answered from the cache. Resolves when the cache is filled, or when no page was read for `openWaitMs`. Until the
 * cache is filled, the store answers the reads for which upstream allows it.
 */
export async function openReads(store: Store, catalog: Catalog, prefix: string, given: ReadsOptions = {}): Promise<OpenedReads> {
  const { record = createRegistry(cacheMetrics).record, ...rest } = given, options = { ...defaults, ...rest, record };
  const { clock, onError, fillWaitMs, checkEveryMs, openWaitMs } = options;
  const { slabs, recent, cacheOf } = kindCaches(prefix, options);
  const own = ownWrites(store, (key) => cache.kindAt(key) !== undefined, (revision) => cache.forget(revision));
  const open = openWatches(catalog);
  /** Number of pages that fills have read so far. */
  let pages = 0;
  const cache = new WatchCache({
    store,
    kinds: cachedKinds(catalog).map((kind) => cacheOf(kind, catalog)),
    prefix,
    at: options.like?.revision,
    lost: options.like?.lost,
    clock,
    own,
    onError,
    onPage(objects) {
      pages++;
      options.onPage(objects);
    },
    onUnreadable: options.onUnreadable,
    traced: options.traced,
    onSetBack: () => open.failAll(lostHistory()),
  });
  const blocks = sharedBlocks(clock), closing = new AbortController(), blockBytes = () => blocks.whole.bytes + blocks.edges.bytes;
  let served = catalog;
  const snapshots = () => served.gates.isOn("ListFromCacheSnapshot"), wanted = () => served.gates.isOn("DetectCacheInconsistency");
  const listedStore: Listed = (kind, evaluated, returned) => cacheMeter(record, kind).listedStore(evaluated, returned);
  const reads = new CachedReads({ cache, store, clock, fillWaitMs, snapshots, open, blocks, isWritten: own.isWritten, listedStore });
  const checking = checkEveryMs === 0
    ? Promise.resolve()
    : keepConsistent({ cache, store, clock, everyMs: checkEveryMs, wanted, signal: closing.signal });
  // A large store takes minutes: controllers that start before the end of its fill would fail.
  for (let before = 0; !(await cache.waitUntilCurrent(openWaitMs, closing.signal)) && pages > before;) before = pages;
  return {
    reads,
    store: own.store,
    state: () => cache.state,
    contents: () => cache.state.tag === "current" ? { revision: cache.revision, slabs, recent, kinds: byKind(cache) } : undefined,
    size: () => ({ slabBytes: slabs.bytes, blockBytes: blockBytes(), watches: watchesOf(cache) }),
    async adopt(next) {
      served = next;
      open.adopt(next);
      const added = new Set(cachedKinds(next));
      for (const { maker } of cache.kinds) if (!added.delete(maker.kind)) cache.remove(maker.kind);
      await Promise.all(Array.from(added, (kind) => cache.add(cacheOf(kind, next))));
    },
    updateMetrics() {
      for (const { meter } of cache.kinds) meter.reached(cache.revision);
      record.blockBytes.with({}).set(blockBytes());
    },
    async close() {
      closing.abort();
      blocks.whole.close();
      blocks.edges.close();
      await Promise.all([cache.close(), checking]);
    },
  };
}

function byKind({ kinds }: WatchCache): CacheContents["kinds"] {
  return new Map(kinds.map((each) => [each.maker.kind, each]));
}

function watchesOf({ kinds }: WatchCache): number {
  return kinds.reduce((sum, kind) => sum + kind.followerCount, 0);
}

/** The function that makes the caches of kinds, and the slabs that they share. */
function kindCaches(
  prefix: string,
  { clock, record, snapshotMs, bounds: changed, like }:
    & Required<Pick<ReadsOptions, "clock" | "record" | "snapshotMs">>
    & Pick<ReadsOptions, "bounds" | "like">,
) {
  const kept = { ...bounds, ...changed }, { slabs = new Slabs(kept.keptMs, () => clock.now()), recent = new RecentObjects() } = like ?? {};
  const cacheOf = (kind: StoredKind, of: Catalog): KindCache => {
    const known = like?.kinds.get(kind), maker = known?.maker ?? entryMaker(kind, slabs, recent, attributesReader(kind, of));
    return new KindCache({ maker, prefix: `${prefix}/${kind.under}/`, meter: cacheMeter(record, kind), bounds: kept, snapshotMs }, known);
  };
  return { slabs, recent, cacheOf };
}

/** Returns the kinds that at least one version serves, except those that are always read from the store. */
function cachedKinds(catalog: Catalog): readonly StoredKind[] {
  const shown = new Set(
    catalog.groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints.map(({ stored }) => stored))),
  );
  return catalog.stored.filter((kind) => shown.has(kind) && !isReadFromStore(kind));
}
