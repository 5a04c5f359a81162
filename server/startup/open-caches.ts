/** Opens a cache over each store of a server. Most servers have one. */
import { withoutUser } from "../../protocols/without-user.ts";
import type { OpenedReads } from "../../kernel/cache/mod.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { Faults } from "../../kernel/store/fault.ts";
import type { Store } from "../../kernel/store/store.ts";
import type { EtcdPlaces } from "../config/server-overrides.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import { catalogOf, routedReads } from "./routed-reads.ts";
import { liveRoutes, routedStore } from "./routed-store.ts";

/** One store of a server. */
export interface StoragePart {
  /** Without the measuring wrapper. */
  readonly store: Store;
  /** The store through which its cache sees what is compacted. */
  readonly compacted: Store;
  /** Its own faults. */
  readonly faults: Pick<Faults, "current">;
}

export type StoreParts = readonly [StoragePart, ...StoragePart[]];

export interface OpenCachesNeeds {
  readonly places: EtcdPlaces;
  readonly prefix: string;
  readonly catalog: () => Catalog;
  readonly faults: Faults;
  readonly record: Pick<KernelRegistry["record"], "blockBytes">;
  /** Opens the cache of the kinds of a catalog. */
  readonly open: (store: Store, catalog: Catalog) => Promise<OpenedReads>;
}

/** Opens the caches one after the other. Rejects if one cannot be opened, after closing the others. */
export async function openCaches(
  [main, ...others]: readonly [Store, ...Store[]],
  { places, prefix, catalog, faults, record, open }: OpenCachesNeeds,
): Promise<{ readonly cache: OpenedReads; readonly parts: StoreParts }> {
  if (others.length === 0) {
    const cache = await open(main, catalog());
    return { cache, parts: [{ store: main, compacted: cache.store, faults }] };
  }
  const openPart = (store: Store, number: number) => open(store, catalogOf(catalog(), places.of, number));
  const partOf = (store: Store, { store: compacted }: OpenedReads, number: number): StoragePart => ({
    store,
    compacted,
    faults: faultsAt(faults, places.servers[number]!),
  });
  const first = await openPart(main, 0), caches: [OpenedReads, ...OpenedReads[]] = [first];
  const parts: [StoragePart, ...StoragePart[]] = [partOf(main, first, 0)];
  try {
    for (const [index, store] of others.entries()) {
      const next = await openPart(store, index + 1);
      caches.push(next);
      parts.push(partOf(store, next, index + 1));
    }
  } catch (error) {
    await Promise.all(caches.map((cache) => cache.close()));
    throw error;
  }
  const [{ compacted }, ...rest] = parts;
  const cache = routedReads(caches, {
    of: places.of,
    store: routedStore([compacted, ...rest.map((part) => part.compacted)], liveRoutes(places, prefix, catalog)),
    blockBytes: (bytes) => record.blockBytes.with({}).set(bytes),
  });
  return { cache, parts };
}

/** The faults of one of several etcds: each fault names the addresses of its servers. */
function faultsAt(faults: Faults, servers: readonly string[]): Pick<Faults, "current"> {
  const addresses = servers.map(withoutUser);
  return {
    get current() {
      return faults.current.filter(({ of }) => addresses.some((address) => of.includes(address)));
    },
  };
}
