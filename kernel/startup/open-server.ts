/** A server that answers in process: what settings, plugins and a store make together, and how it follows other settings. */
import { limits } from "../../core/limits.ts";
import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import type { Plugin } from "../../core/plugin.ts";
import { flushEveryMs, logCheck, startUp, switchCheck } from "../../health/mod.ts";
import { assemble, describeGates, hookNames, seedsHook } from "./assemble.ts";
import { systemGroups } from "../../core/user-info.ts";
import { controllerHook, controllerHooks, runBackground } from "../background/background.ts";
import { openReads } from "../cache/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Config, defaults, settingWarnings } from "../config/settings.ts";
import { authenticatorsOf, rootCertificatesOf } from "./credentials.ts";
import type { Followed } from "../config/follow-files.ts";
import { type ActiveConfig, activeConfigOf } from "../config/active-config.ts";
import { heavyRequests, type StartHeavyThread } from "../heavy/requests.ts";
import { localApi } from "../background/local-api.ts";
import { describe, type Log } from "../observe/log.ts";
import { measuredStore, type StoredLabels, type StoredPlaces } from "../observe/measured-store.ts";
import type { KernelRegistry } from "../observe/metrics.ts";
import { once, pause, systemClock } from "../../core/async.ts";
import { openMetrics } from "./open-metrics.ts";
import { openStore, type OpenStoreOptions } from "./open-store.ts";
import { processReader, watchProcess } from "../observe/process-metrics.ts";
import type { Source } from "./read-configuration.ts";
import type { Reads } from "../reads/reads.ts";
import { plainEtcdWarnings } from "./plain-etcd.ts";
import { changedSettings, type Reload, reloader } from "./reload.ts";
import type { Server } from "../server.ts";
import { watchEnds } from "./shutdown.ts";
import { forgetBeginning } from "../store/beginning.ts";
import type { Store } from "../store/store.ts";
import { troublesOf } from "../store/trouble.ts";
import { troubleLog } from "../observe/trouble-log.ts";
import type { InUse } from "./certificate-validity.ts";
import { watchFile } from "../config/watch-file.ts";
import { workMeters } from "../observe/work-metrics.ts";

export interface ServeOptions {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  readonly log: Log;
  /** Where config and plugins come from, to be asked again while the server runs; absent where they never change. */
  readonly source?: Source;
  /** Measures event loop and garbage collection too. Once per process. */
  readonly processMetrics?: boolean;
  /** Resolves once what was logged is written; absent where lines are written before the log goes on. */
  readonly flushLog?: () => Promise<void>;
  /** Starts the thread for heavy requests; it must know the same plugins by name. Absent: they run in this thread. */
  readonly startHeavy?: StartHeavyThread;
  /** How requests read; from the cache where absent. */
  readonly readsOver?: (store: Store) => Reads;
  /** Of the embedded store, for tests. */
  readonly sqlite?: OpenStoreOptions["sqlite"];
}

/** A server that answers in process; `serve` gives it a socket. */
export interface Opened {
  readonly server: Server;
  readonly registry: KernelRegistry;
  /** Settled once the objects exist that must. */
  readonly seeded: Promise<void>;
  /** Resolves once controllers have seen what there is, or that takes too long to wait for: it goes on after that. */
  readonly started: Promise<void>;
  readonly inForce: () => ActiveConfig;
  /** Takes another generation into force; requests that have begun finish on the one before. */
  swap(next: ActiveConfig): void;
  readonly reload: Reload;
  /** What of its users, and of the way to its store, comes from files. */
  readonly followed: readonly Followed[];
  /** The certificates for its store, as they are in force. */
  readonly inUse: () => readonly InUse[];
  /** From now on it says that it is not ready, and goes on answering. */
  drain(): void;
  /** Watches end within this time, one after another. */
  endWatches(withinMs: number): Promise<void>;
  /** What is left of watches, and background work, ends. */
  end(): void;
  /** Ends what is left and closes the store. */
  close(): Promise<void>;
}

/** How often the configuration file is looked at. */
const lookEveryMs = 1_000;

/** Opens the store, fills the cache and starts what goes on beside requests. Rejects where settings and plugins make no server. */
export async function openServer(
  { config, plugins, log, processMetrics, source, flushLog = () => Promise.resolve(), startHeavy, readsOver, sqlite }: ServeOptions,
): Promise<Opened> {
  let active = activeConfigOf(config, plugins);
  const inForce = () => active;
  const registry = openMetrics(config, log);
  const { authenticators, followed: ofUsers } = await authenticatorsOf(config, inForce);
  const rootCertificates = await rootCertificatesOf(config);
  const troubles = troublesOf(systemClock, troubleLog(log));
  for (const text of plainEtcdWarnings(config["etcd-servers"])) log.info(`Warning: ${text}`);
  const { store, followed: ofStore, inUse } = await openStore(config, { troubles, ...(sqlite === undefined ? {} : { sqlite }) });
  const ending = new AbortController();
  registry.beforeScrape(processReader(registry.record));
  if (processMetrics === true) watchProcess(registry.record, ending.signal);
  const shutdown = switchCheck("shutdown", "process is shutting down", true);
  const start = startUp();
  const watches = watchEnds(ending.signal);
  const logWritten = logCheck(() => performance.now());
  const prefix = config["etcd-prefix"];
  const { record } = registry;
  await forgetBeginning(store, prefix);
  const measured = measuredStore(store, storedPlaces(prefix, () => active.catalog), record, () => performance.now());
  const opened = await openReads(measured, active.catalog, prefix, {
    onError: (error) => log.error("the cache begins anew", describe(error)),
    record,
  });
  const cache = readsOver === undefined ? opened : { ...opened, reads: readsOver(measured) };
  registry.beforeScrape(cache.tell);
  const heavy = startHeavy && heavyRequests({ start: startHeavy, store: cache.store, inForce, after: systemClock.after });
  const server = assemble({
    inForce,
    heavy,
    store,
    troubles,
    cache,
    registry,
    log,
    authenticators,
    ending: () => watches.signal(Math.random),
    shutdown,
    start,
    logWritten: logWritten.check,
  });
  keepFlushing(flushLog, logWritten.flushed, ending.signal);
  // Who writes is told in managedFields under the names that the field knows.
  const api = localApi(server, { name: "system:apiserver", groups: [systemGroups.masters] }, { agent: "kube-apiserver" });
  const manager = { name: "system:kube-controller-manager", groups: [systemGroups.masters] }, agent = "kube-controller-manager";
  const apiOf = (controller: string) =>
    localApi(server, manager, {
      agent,
      follows(kind) {
        const seen = start.follows(controller, kind);
        return () => {
          seen();
          if (start.isSynced(controller)) start.finished(controllerHook(controller));
        };
      },
    });
  const election = {
    api: localApi(server, manager, { agent }),
    identity: `${await hostName()}_${crypto.randomUUID()}`,
    isLeader: record.isLeader,
  };
  const queues = workMeters(record, () => performance.now());
  registry.beforeScrape(queues.update);
  const background = runBackground(active, {
    store: cache.store,
    api,
    apiOf,
    election,
    start,
    log,
    queue: queues.of,
    rootCertificates,
    signal: ending.signal,
  });
  const planted = background.seeded.then(() => start.finished(seedsHook));
  planted.catch(() => {}); // told to whoever waits for it
  describeGates(registry, active.catalog);
  warn(log, active);
  function swap(next: ActiveConfig): void {
    const before = active;
    start.settle(hookNames(before.catalog));
    active = next;
    if (next.catalog !== before.catalog) {
      cache.adopt(next.catalog).catch((error: unknown) => log.error("the cache has lost a kind", describe(error)));
    }
    background.follow(next);
    describeGates(registry, next.catalog);
    warn(log, next, before);
  }
  const { text = "", read = () => Promise.resolve({ config, plugins, text: "" }), look } = source ?? {};
  const reload = reloader({ read, text, inForce, swap, record, log, now: Date.now });
  const watching = look === undefined
    ? Promise.resolve()
    : watchFile({ look, everyMs: lookEveryMs, clock: systemClock, signal: ending.signal, changed: () => reload(false) });
  return {
    server,
    registry,
    seeded: planted,
    started: Promise.race([start.all(controllerHooks(active.catalog)), pause(limits.startedMsMax, ending.signal)]),
    inForce,
    swap,
    reload,
    followed: [...ofUsers, ...ofStore],
    inUse,
    drain: shutdown.fail,
    endWatches: watches.end,
    end: () => ending.abort(),
    close: once(async () => {
      ending.abort();
      await Promise.all([watching, background.ended(), heavy?.close()]);
      await cache.close();
      await store.close();
    }),
  };
}

/** Tells of what is set and on its way out, unless nobody wants to hear it, or it was told before. */
function warn(log: Log, { config, catalog }: ActiveConfig, before?: ActiveConfig): void {
  if (config["suppress-deprecation-warnings"]) return;
  const known = before === undefined || before.config["suppress-deprecation-warnings"] ? [] : warningsOf(before);
  for (const text of warningsOf({ config, catalog }).filter((each) => !known.includes(each))) log.info(`Warning: ${text}`);
}
function warningsOf({ config, catalog }: Pick<ActiveConfig, "config" | "catalog">): readonly string[] {
  return [...settingWarnings(changedSettings(defaults, config)), ...catalog.gates.warnings];
}

/** Asks from time to time whether the log is written; one that is stuck is asked no further. */
function keepFlushing(flush: () => Promise<void>, flushed: () => void, signal: AbortSignal): void {
  let asking = false;
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    flush().then(flushed, () => {}).finally(() => asking = false);
  }, flushEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** The runtimes' own way to ask needs a permission that nothing else here does. */
async function hostName(): Promise<string> {
  return (await readFile("/etc/hostname", "utf8").catch(() => "")).trim() || "thole";
}

/** What keys hold in the catalog in force: the kind with the longest matching place. */
function storedPlaces(prefix: string, catalog: () => Catalog): StoredPlaces {
  const tables = new WeakMap<Catalog, readonly (StoredLabels & { readonly start: string })[]>();
  const other = { group: "", resource: "" };
  const table = () => {
    const current = catalog();
    let rows = tables.get(current);
    if (rows === undefined) {
      rows = current.stored.map(({ under, group, plural }) => ({ start: `${prefix}/${under}/`, group, resource: plural }));
      tables.set(current, rows);
    }
    return rows;
  };
  return {
    of: (key) => table().find(({ start }) => key.startsWith(start)) ?? other,
    under: (range) => table().filter(({ start }) => start.startsWith(range) || range.startsWith(start)),
  };
}
