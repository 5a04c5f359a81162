/** The caches of several stores as one. Each has the kinds of its store, and revisions of its own. */
import type { Catalog, StoredKind } from "../../kernel/catalog/catalog.ts";
import type { OpenedReads } from "../../kernel/cache/mod.ts";
import type { Reads } from "../../kernel/reads/reads.ts";
import type { Store } from "../../kernel/store/store.ts";

export interface RoutedReadsNeeds {
  /** The number of the cache that has the objects of a kind. */
  readonly of: (kind: StoredKind) => number;
  /** The stores of the caches as one. */
  readonly store: Store;
  /** Records the bytes of all shared blocks: each cache knows its own only. */
  readonly blockBytes: (bytes: number) => void;
}

/** A kind is read from the cache of its store; the whole is current when all caches are. */
export function routedReads(caches: readonly [OpenedReads, ...OpenedReads[]], { of, store, blockBytes }: RoutedReadsNeeds): OpenedReads {
  const [first] = caches, sizes = () => caches.map(({ size }) => size());
  const readsOf = (kind: StoredKind): Reads => (caches[of(kind)] ?? first).reads;
  return {
    store,
    reads: {
      get: (kind, ...rest) => readsOf(kind).get(kind, ...rest),
      live: (kind, ...rest) => readsOf(kind).live(kind, ...rest),
      list: (collection, ...rest) => readsOf(collection.endpoint.stored).list(collection, ...rest),
      inMemory: (collection) => readsOf(collection.endpoint.stored).inMemory(collection),
      changeMark: (collection) => readsOf(collection.endpoint.stored).changeMark(collection),
      watch: (watching) => readsOf(watching.collection.endpoint.stored).watch(watching),
    },
    state: () => caches.map(({ state }) => state()).find(({ tag }) => tag !== "current") ?? first.state(),
    contents: () => undefined, // servers with several stores are not copied
    size: () =>
      sizes().reduce((sum, each) => ({
        slabBytes: sum.slabBytes + each.slabBytes,
        blockBytes: sum.blockBytes + each.blockBytes,
        watches: sum.watches + each.watches,
      })),
    async adopt(catalog) {
      await Promise.all(caches.map((cache, number) => cache.adopt(catalogOf(catalog, of, number))));
    },
    updateMetrics() {
      for (const cache of caches) cache.updateMetrics();
      blockBytes(sizes().reduce((sum, each) => sum + each.blockBytes, 0));
    },
    async close() {
      await Promise.all(caches.map((cache) => cache.close()));
    },
  };
}

/** The catalog with the stored kinds of one store. */
export function catalogOf(catalog: Catalog, of: (kind: StoredKind) => number, number: number): Catalog {
  return { ...catalog, stored: catalog.stored.filter((kind) => of(kind) === number) };
}
