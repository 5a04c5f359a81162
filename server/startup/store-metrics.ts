/** Metrics that are read from the store at each scrape. */
import { abortable } from "../../core/async.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { placeOf } from "../../kernel/conversion/converted-kinds.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { Store } from "../../kernel/store/store.ts";
import { faultKinds, type Faults } from "../../kernel/store/fault.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds that a metrics scrape waits for the store. Less than the timeout of Prometheus. */
const scrapeStoreMs = bound(2_000);

/** Registers the number of objects by kind, the size of the store and its current faults. Keys of objects begin with `prefix`. */
export function registerStoreMetrics(
  registry: KernelRegistry,
  { store, parts, faults, prefix, catalog }: {
    readonly store: Store;
    /** Each store. */
    readonly parts: readonly Store[];
    readonly faults: Faults;
    readonly prefix: string;
    readonly catalog: () => Catalog;
  },
): void {
  registry.beforeScrape(() => countObjects(catalog(), store, prefix, registry));
  registry.beforeScrape(() => recordSizes(parts, registry));
  registry.beforeScrape(() => recordFaults(faults, registry));
}

/** Reads the store without the measuring wrapper: a scrape does not count as a request. -1 for a store that does not respond in time. */
async function countObjects(catalog: Catalog, store: Store, prefix: string, { record }: KernelRegistry): Promise<void> {
  const signal = AbortSignal.timeout(scrapeStoreMs);
  // The versions of a converted kind have the same keys.
  const kinds = new Map(catalog.stored.map((kind) => [placeOf(kind), kind]));
  const counts = await Promise.all(Array.from(kinds, async ([place, { group, plural }]) => {
    // A list of one entry has the total count.
    const count = await store.list({ prefix: `${prefix}/${place}/` }, { limit: 1, signal }).then((listing) => listing.count, () => -1);
    return { group, plural, count };
  }));
  // Removes kinds that are no longer served.
  record.objects.reset();
  record.objectsByName.reset();
  for (const { group, plural, count } of counts) {
    record.objects.with({ group, resource: plural }).set(count);
    record.objectsByName.with({ resource: group === "" ? plural : `${plural}.${group}` }).set(count);
  }
}

/** As upstream, the stores are numbered. The value is unchanged if a store does not respond in time. */
async function recordSizes(stores: readonly Store[], { record }: KernelRegistry): Promise<void> {
  const signal = AbortSignal.timeout(scrapeStoreMs);
  await Promise.all(stores.map(async (store, number) => {
    const bytes = await abortable(store.size(), signal).catch(() => undefined);
    if (bytes !== undefined) record.storeBytes.with({ storage_cluster_id: `etcd-${number}` }).set(bytes);
  }));
}

function recordFaults({ current }: Faults, { record }: KernelRegistry): void {
  for (const cause of faultKinds) record.storeTrouble.with({ cause }).set(current.some(({ kind }) => kind === cause) ? 1 : 0);
}
