/** Opens the store and its reads: the watch cache, or the reads of the options. */
import type { Check } from "../../health/mod.ts";
import { webhookClients } from "../webhooks/webhook-client.ts";
import type { BeginProgress } from "../../core/progress.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { type CacheContents, type OpenedReads, openReads, type ReadsOptions } from "../../kernel/cache/mod.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { convertingStore } from "../../kernel/conversion/converting-store.ts";
import type { ConversionContext } from "../../core/conversion.ts";
import { type Clock, systemClock } from "../../core/async.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import { measuredStore, type StoredLabels, type StoredPlaces } from "../../kernel/observe/measured-store.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { faultLog } from "../log/fault-log.ts";
import { compactInitialRevision } from "./initial-revision.ts";
import type { Store } from "../../kernel/store/store.ts";
import { type Faults, faultsOf } from "../../kernel/store/fault.ts";
import { sharedFindings } from "../workers/group.ts";
import type { InUse } from "./certificate-validity.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { openHeap } from "../heavy/heap.ts";
import { type FillGarbage, fillGarbage } from "./fill-garbage.ts";
import { fillProgress } from "./fill-progress.ts";
import type { ServeOptions } from "./serve-options.ts";
import { kmsMeter } from "./kms-meter.ts";
import { openCaches, type StoreParts } from "./open-caches.ts";
import { openStore } from "./open-store.ts";
import { type EtcdPlaces, etcdPlaces, unknownOverrides, unknownOverrideText } from "../config/server-overrides.ts";
import { etcdUserWarnings, plainEtcdWarnings } from "./plain-etcd.ts";
import { remoteCallMs } from "../../protocols/remote/remote-client.ts";

/** The open store of a server. */
export interface Storage {
  /** Without the measuring wrapper. */
  readonly store: Store;
  /** The etcds of the server, or its embedded store. The first has all that no override names. */
  readonly parts: StoreParts;
  readonly faults: Faults;
  readonly cache: OpenedReads;
  /** The means of conversions by webhooks. */
  readonly conversions: ConversionContext;
  /** Files of the certificates for etcd. */
  readonly followed: readonly FollowedFiles[];
  readonly inUse: () => readonly InUse[];
  /** Checks of health beside those of the store: of KMS plugins. */
  readonly checks: readonly Check[];
  /** Ends the cache, then closes the store. */
  close(): Promise<void>;
}

type StorageOptions = Pick<ServeOptions, "config" | "log" | "instead" | "workers" | "process"> & {
  readonly progress: BeginProgress;
  /** For expiry. */
  readonly clock: Clock;
};

export async function openStorage(
  { config, log, progress, instead: { readsOver, storeOver, sqlite, begun } = {}, clock, workers, process }: StorageOptions,
  inForce: ConfigInForce,
  registry: KernelRegistry,
  tracing?: Tracing,
): Promise<Storage> {
  const prefix = config["etcd-prefix"], { record } = registry, findings = sharedFindings(log, workers);
  const places = etcdPlaces(config), faults = faultsOf(systemClock, faultLog(log)), catalog = () => inForce.current().catalog;
  for (const text of serverWarnings(places, catalog())) findings.info(`Warning: ${text}`);
  const { store, parts: stores, followed, checks, inUse } = await openStore(config, {
    faults,
    log,
    kmsMeterOf: (name) => kmsMeter(name, record, systemClock.now),
    catalog,
    ...{ sqlite: { clock, ...sqlite }, over: storeOver },
  });
  const webhooks = webhookClients(config["webhook-addresses"], remoteCallMs, tracing);
  const conversions: ConversionContext = {
    names: catalog().names,
    post: webhooks.post,
    metric: registry.metric,
    now: systemClock.elapsed,
  };
  const stored = storedPlaces(prefix, catalog), garbage = process && fillGarbage(openHeap);
  const options = readsOptions({ log, progress, record, tracing, begun, garbage });
  const open = async (part: Store, kinds: Catalog): Promise<OpenedReads> => {
    const converting = convertingStore(part, { prefix, catalog, context: conversions });
    const measured = measuredStore(converting, stored, record, systemClock.elapsed, tracing);
    await compactInitialRevision(part, prefix);
    const opened = await openReads(measured, kinds, prefix, options);
    return readsOver === undefined ? opened : { ...opened, reads: readsOver(measured) };
  };
  const { cache, parts } = await openCaches(stores, { places, prefix, catalog, faults, record, open }).catch(async (error) => {
    await store.close();
    throw error;
  });
  garbage?.end();
  registry.beforeScrape(cache.updateMetrics);
  followCatalog(inForce, cache, webhooks, log);
  return {
    store,
    parts,
    faults,
    cache,
    conversions,
    followed,
    checks,
    inUse,
    async close() {
      webhooks.keep(new Set());
      await cache.close();
      await store.close();
    },
  };
}

/** Warnings about the servers of etcd. */
function serverWarnings(places: EtcdPlaces, { stored }: Catalog): readonly string[] {
  const servers = places.servers.flat();
  return [...plainEtcdWarnings(servers), ...etcdUserWarnings(servers), ...unknownOverrides(places, stored).map(unknownOverrideText)];
}

/** Caches the kinds of each new catalog, and closes the connections to webhooks that it no longer has. */
function followCatalog(inForce: ConfigInForce, cache: OpenedReads, webhooks: ReturnType<typeof webhookClients>, log: Log): void {
  inForce.onSwap((next, before) => {
    if (next.catalog === before.catalog) return;
    webhooks.keep(
      new Set(next.catalog.stored.flatMap(({ resource: { conversion } }) => conversion === undefined ? [] : [conversion.webhook])),
    );
    cache.adopt(next.catalog).catch((error: unknown) => log.error("the cache cannot follow the served kinds", describe(error)));
  });
}

/** Options of the cache: its failures are logged, and its fills are shown and traced. */
function readsOptions(
  { log, progress, record, tracing, begun, garbage }: Pick<ServeOptions, "log"> & Pick<KernelRegistry, "record"> & {
    readonly progress: BeginProgress;
    readonly tracing: Tracing | undefined;
    readonly begun: CacheContents | undefined;
    /** In a process of the server's own. */
    readonly garbage: FillGarbage | undefined;
  },
): ReadsOptions {
  const { onPage, during } = fillProgress(progress);
  return {
    ...(begun === undefined ? {} : { like: begun }),
    onError: (error) => log.error("the cache is filled again", describe(error)),
    record,
    onPage(objects) {
      onPage(objects);
      garbage?.onPage(objects);
    },
    onUnreadable: ({ kind: { plural, group }, count, first }) => {
      const resource = group === "" ? plural : `${plural}.${group}`;
      log.error(`some stored ${resource} cannot be read: requests that meet them fail, the others are served`, {
        count,
        ...describe(first),
      });
    },
    traced: (name, attributes, run) => during(() => tracing === undefined ? run() : tracing.work(name, attributes, run)),
  };
}

/** The kind of a key under the active catalog: that with the longest matching prefix. */
export function storedPlaces(prefix: string, catalog: () => Catalog): StoredPlaces {
  /** Rows by the prefixes of their keys, with the slash at the end. */
  const tables = new WeakMap<Catalog, ReadonlyMap<string, StoredLabels>>();
  const other = { group: "", resource: "" };
  const table = () => {
    const current = catalog();
    let rows = tables.get(current);
    if (rows === undefined) {
      rows = new Map(current.stored.map(({ under, group, plural }) => [`${prefix}/${under}/`, { group, resource: plural }]));
      tables.set(current, rows);
    }
    return rows;
  };
  /** The row of a key or range, found by its segments. */
  const rowOf = (key: string) => {
    const rows = table();
    for (let slash = key.lastIndexOf("/"); slash > prefix.length; slash = key.lastIndexOf("/", slash - 1)) {
      const found = rows.get(key.slice(0, slash + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    of: (key) => rowOf(key) ?? other,
    under(range) {
      const row = rowOf(range);
      return row === undefined ? [...table()].flatMap(([start, labels]) => start.startsWith(range) ? [labels] : []) : [row];
    },
  };
}
