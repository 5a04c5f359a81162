/** A server that answers in process: what settings, plugins and a store make together, and how it follows other settings. */
import { once, pause, systemClock } from "../../core/async.ts";
import { limits } from "../../core/limits.ts";
import { flushEveryMs, logCheck, startUp, switchCheck } from "../../health/mod.ts";
import { controllerHooks } from "../background/background.ts";
import { type ActiveConfig, activeConfigOf } from "../config/active-config.ts";
import type { Followed } from "../config/follow-files.ts";
import { watchFile } from "../config/watch-file.ts";
import { heavyRequests } from "../heavy/requests.ts";
import { describe } from "../observe/log.ts";
import type { KernelRegistry } from "../observe/metrics.ts";
import { processReader, watchProcess } from "../observe/process-metrics.ts";
import type { Server } from "../server.ts";
import { assemble } from "./assemble.ts";
import type { InUse } from "./certificate-validity.ts";
import { authenticatorsOf, rootCertificatesOf } from "./credentials.ts";
import { describeGates, logWarnings } from "./describe-server.ts";
import { hookNames, seedsHook } from "./health-checks.ts";
import { openControllers } from "./open-controllers.ts";
import { openMetrics } from "./open-metrics.ts";
import { openStorage } from "./open-storage.ts";
import { type Reload, reloader } from "./reload.ts";
import type { ServeOptions } from "./serve-options.ts";
import { watchEnds } from "./shutdown.ts";

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

/** Opens the store, fills the cache and starts the background work. Rejects where settings and plugins make no server. */
export async function openServer(options: ServeOptions): Promise<Opened> {
  const { config, plugins, log } = options;
  const ending = new AbortController();
  // Catalog.
  let active = activeConfigOf(config, plugins);
  const inForce = () => active;
  // Observability and credentials.
  const registry = openMetrics(config, log);
  registry.beforeScrape(processReader(registry.record));
  const users = await authenticatorsOf(config, inForce);
  const rootCertificates = await rootCertificatesOf(config);
  // Store.
  const storage = await openStorage(options, inForce, registry);
  const { cache } = storage;
  if (options.processMetrics === true) watchProcess(registry.record, ending.signal);
  // Health.
  const shutdown = switchCheck("shutdown", "process is shutting down", true), start = startUp();
  const logWritten = logCheck(() => performance.now());
  keepFlushing(options.flushLog ?? (() => Promise.resolve()), logWritten.flushed, ending.signal);
  // Requests.
  const { startHeavy } = options;
  const heavy = startHeavy && heavyRequests({ start: startHeavy, store: cache.store, inForce, after: systemClock.after });
  const watches = watchEnds(ending.signal);
  const server = assemble({
    inForce,
    heavy,
    store: storage.store,
    troubles: storage.troubles,
    cache,
    registry,
    log,
    authenticators: users.authenticators,
    ending: () => watches.signal(Math.random),
    shutdown,
    start,
    logWritten: logWritten.check,
  });
  // Controllers.
  const background = await openControllers(active, server, {
    store: cache.store,
    start,
    registry,
    log,
    rootCertificates,
    signal: ending.signal,
  });
  const seeded = background.seeded.then(() => start.finished(seedsHook));
  seeded.catch(() => {}); // whoever awaits `seeded` gets the error
  // Other settings while it runs.
  const show = (next: ActiveConfig, before?: ActiveConfig) => {
    describeGates(registry, next.catalog);
    logWarnings(log, next, before);
  };
  show(active);
  const swap = (next: ActiveConfig) => {
    const before = active;
    start.settle(hookNames(before.catalog));
    active = next;
    if (next.catalog !== before.catalog) {
      cache.adopt(next.catalog).catch((error: unknown) => log.error("the cache has lost a kind", describe(error)));
    }
    background.follow(next);
    show(next, before);
  };
  const { reload, watching } = followSource(options, { inForce, swap, registry, signal: ending.signal });
  return {
    server,
    registry,
    seeded,
    started: Promise.race([start.all(controllerHooks(active.catalog)), pause(limits.startedMsMax, ending.signal)]),
    inForce,
    swap,
    reload,
    followed: [...users.followed, ...storage.followed],
    inUse: storage.inUse,
    drain: shutdown.fail,
    endWatches: watches.end,
    end: () => ending.abort(),
    close: once(async () => {
      ending.abort();
      await Promise.all([watching, background.ended(), heavy?.close()]);
      await storage.close();
    }),
  };
}

/** Reads the configuration again when it is asked to, and when its file changes. `watching` settles after the signal aborts. */
function followSource(
  { config, plugins, source, log }: ServeOptions,
  { inForce, swap, registry: { record }, signal }: Pick<Opened, "inForce" | "swap" | "registry"> & { readonly signal: AbortSignal },
): { readonly reload: Reload; readonly watching: Promise<void> } {
  const { text = "", read = () => Promise.resolve({ config, plugins, text: "" }), look } = source ?? {};
  const reload = reloader({ read, text, inForce, swap, record, log, now: Date.now });
  const watching = look === undefined
    ? Promise.resolve()
    : watchFile({ look, everyMs: lookEveryMs, clock: systemClock, signal, changed: () => reload(false) });
  return { reload, watching };
}

/** Flushes the log at intervals. A flush that is still running delays the next one. */
function keepFlushing(flush: () => Promise<void>, flushed: () => void, signal: AbortSignal): void {
  let asking = false;
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    flush().then(flushed, () => {}).finally(() => asking = false);
  }, flushEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
