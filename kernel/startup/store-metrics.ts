/** Metrics that are read from the store when they are scraped. */
import { abortable } from "../../core/async.ts";
import { limits } from "../../core/limits.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { KernelRegistry } from "../observe/metrics.ts";
import type { Store } from "../store/store.ts";
import { faultKinds, type Faults } from "../store/fault.ts";

/** Registers the number of objects by kind, the size of the store and its present failures. Keys of objects begin with `prefix`. */
export function registerStoreMetrics(
  registry: KernelRegistry,
  { store, faults, prefix, catalog }: {
    readonly store: Store;
    readonly faults: Faults;
    readonly prefix: string;
    readonly catalog: () => Catalog;
  },
): void {
  registry.beforeScrape(() => countObjects(catalog(), store, prefix, registry));
  registry.beforeScrape(() => recordSize(store, registry));
  registry.beforeScrape(() => recordFaults(faults, registry));
}

/** Reads the store without the measuring wrapper: a scrape is not counted as a request. A store that does not answer in time is -1. */
async function countObjects(catalog: Catalog, store: Store, prefix: string, { record }: KernelRegistry): Promise<void> {
  const signal = AbortSignal.timeout(limits.scrapeStoreMs);
  const counts = await Promise.all(catalog.stored.map(async ({ under, group, plural }) => {
    // A list of one entry carries the count of all.
    const count = await store.list({ prefix: `${prefix}/${under}/` }, { limit: 1, signal }).then((listing) => listing.count, () => -1);
    return { group, plural, count };
  }));
  // Kinds that are no longer served leave the metric.
  record.objects.reset();
  record.objectsByName.reset();
  for (const { group, plural, count } of counts) {
    record.objects.with({ group, resource: plural }).set(count);
    record.objectsByName.with({ resource: group === "" ? plural : `${plural}.${group}` }).set(count);
  }
}

/** The value stays as it was where the store does not answer in time. */
async function recordSize(store: Store, { record }: KernelRegistry): Promise<void> {
  const bytes = await abortable(store.size(), AbortSignal.timeout(limits.scrapeStoreMs)).catch(() => undefined);
  // Upstream numbers its clusters of etcd; there is one store.
  if (bytes !== undefined) record.storeBytes.with({ storage_cluster_id: "etcd-0" }).set(bytes);
}

function recordFaults({ current }: Faults, { record }: KernelRegistry): void {
  for (const cause of faultKinds) record.storeTrouble.with({ cause }).set(current.some(({ kind }) => kind === cause) ? 1 : 0);
}
