/** Starts a server from settings and plugins, and ends it. What a request meets is in `handle.ts`. */
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Plugin } from "../core/plugin.ts";
import { flushEveryMs, logCheck, startUp, switchCheck } from "../health/mod.ts";
import { assemble, describeGates, seedsHook } from "./assemble.ts";
import { type Authenticator, clientCertificates, systemGroups, tokenFile } from "./authentication/mod.ts";
import { openReads } from "./cache/mod.ts";
import { controllerHook, controllerHooks, runBackground } from "./background.ts";
import type { Catalog } from "./catalog.ts";
import { type Config, defaults, settingWarnings } from "./config.ts";
import { type Generation, generationOf, namesOf } from "./generation.ts";
import { handle } from "./handle.ts";
import { listen } from "./listen/listener.ts";
import { kubeconfig, openPki, type Pki, serverUrl, writePrivateFile } from "./listen/pki.ts";
import { localApi } from "./local-api.ts";
import { describe, type Log } from "./log.ts";
import { measuredStore, type StoredLabels } from "./measured-store.ts";
import type { KernelRegistry } from "./metrics.ts";
import { openMetrics } from "./open-metrics.ts";
import { processReader, watchProcess } from "./process-metrics.ts";
import type { Source } from "./read-configuration.ts";
import { changedSettings, type Reload, reloader } from "./reload.ts";
import type { Server } from "./server.ts";
import { pause as pauseUntil } from "./store/clock.ts";
import { gate, watchEnds } from "./shutdown.ts";
import { requestInfo } from "./request-info.ts";
import { requestLabels } from "./request-metrics.ts";
import { forgetBeginning } from "./store/beginning.ts";
import { systemClock } from "./store/clock.ts";
import { openEtcd } from "./store/etcd.ts";
import { openSqlite } from "./store/sqlite.ts";
import type { Store } from "./store/store.ts";
import { watchFile } from "./watch-file.ts";
import { workMeters } from "./work-metrics.ts";

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
}

/** A server that answers. */
export interface Running {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed the serving certificate; undefined where the certificate was given. */
  readonly ca: string | undefined;
  /** PEM of the administrator's certificate and key. */
  readonly admin: { readonly cert: string; readonly key: string };
  /** Where the administrator's kubeconfig lies; undefined with everything in memory. */
  readonly kubeconfig: string | undefined;
  /** The one in force. */
  readonly catalog: Catalog;
  /** Reads the configuration again; what came of it is logged and counted. */
  reload(): Promise<void>;
  /** Not ready first, then requests in flight finish, watches end, the store is closed. */
  close(): Promise<void>;
}

/** Time given to requests in flight once the server goes down. */
const graceMs = 10_000;

/** A server that answers in process; `serve` gives it a socket. */
export interface Opened {
  readonly server: Server;
  readonly registry: KernelRegistry;
  /** Settled once the objects exist that must. */
  readonly seeded: Promise<void>;
  /** Resolves once controllers have seen what there is, or that takes too long to wait for: it goes on after that. */
  readonly started: Promise<void>;
  readonly inForce: () => Generation;
  /** Takes another generation into force; requests that have begun finish on the one before. */
  swap(next: Generation): void;
  readonly reload: Reload;
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

export async function openServer(
  { config, plugins, log, processMetrics, source, flushLog = () => Promise.resolve() }: ServeOptions,
): Promise<Opened> {
  let generation = generationOf(config, plugins);
  const inForce = () => generation;
  const registry = openMetrics(config, log);
  const authenticators = await authenticatorsOf(config);
  const store = await storeOf(config, isInMemory(config));
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
  const labels = storedLabels(prefix);
  const measured = measuredStore(store, (key) => labels(generation.catalog, key), record, () => performance.now());
  const cache = await openReads(measured, generation.catalog, prefix, {
    onError: (error) => log.error("the cache begins anew", describe(error)),
    record,
  });
  registry.beforeScrape(cache.tell);
  const server = assemble({
    inForce,
    store,
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
  const background = runBackground(generation, {
    store: cache.store,
    api,
    apiOf,
    election,
    start,
    log,
    queue: queues.of,
    signal: ending.signal,
  });
  const planted = background.seeded.then(() => start.finished(seedsHook));
  planted.catch(() => {}); // told to whoever waits for it
  describeGates(registry, generation.catalog);
  warn(log, generation);
  function swap(next: Generation): void {
    const before = generation;
    generation = next;
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
    started: Promise.race([start.all(controllerHooks(generation.catalog)), pauseUntil(startedMsMax, ending.signal)]),
    inForce,
    swap,
    reload,
    drain: shutdown.fail,
    endWatches: watches.end,
    end: () => ending.abort(),
    close: once(async () => {
      ending.abort();
      await Promise.all([watching, background.ended()]);
      await cache.close();
      await store.close();
    }),
  };
}

/** Tells of what is set and on its way out, unless nobody wants to hear it, or it was told before. */
function warn(log: Log, { config, catalog }: Generation, before?: Generation): void {
  if (config["suppress-deprecation-warnings"]) return;
  const known = before === undefined || before.config["suppress-deprecation-warnings"] ? [] : warningsOf(before);
  for (const text of warningsOf({ config, catalog }).filter((each) => !known.includes(each))) log.info(`Warning: ${text}`);
}
function warningsOf({ config, catalog }: Pick<Generation, "config" | "catalog">): readonly string[] {
  return [...settingWarnings(changedSettings(defaults, config)), ...catalog.gates.warnings];
}

/** Rejects with everything undone when it cannot start. */
export async function serve(options: ServeOptions): Promise<Running> {
  const { config } = options;
  if (!isInMemory(config)) await mkdir(config["data-dir"], { recursive: true, mode: 0o700 });
  const pki = pkiOf(config);
  pki.catch(() => {}); // told below, once there is something to undo
  const opened = await openServer(options);
  try {
    return await listening(options, opened, await pki);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function listening({ config, log }: ServeOptions, opened: Opened, pki: Pki): Promise<Running> {
  const { server, registry } = opened;
  const cert = config["tls-cert-file"] === "" ? pki.serving : await keyed(config["tls-cert-file"], config["tls-private-key-file"]);
  const way = gate((exchange) => handle(exchange, server), (exchange) => {
    const info = requestInfo(exchange.method, exchange.url);
    if (info === undefined) return;
    registry.record.terminations.with({ ...requestLabels(exchange.method, info, undefined, server.catalog), code: "429" }).add();
  });
  const listener = await listen({
    host: config["bind-address"],
    port: config["secure-port"],
    tls: {
      cert: cert.cert,
      key: cert.key,
      clientCa: await clientAuthorities(config["client-ca-file"], pki),
    },
    handle: way.handle,
    report: (error) => log.error("a connection failed", describe(error)),
    handshakeFailed: () => registry.record.handshakeErrors.with({}).add(),
  });
  await opened.seeded.catch(async (error: unknown) => {
    await listener.close(0);
    throw error;
  });
  await opened.started;
  const url = serverUrl(config["bind-address"], listener.port);
  const ownCa = config["tls-cert-file"] === "" ? pki.ca.cert : undefined;
  const path = isInMemory(config) ? undefined : join(config["data-dir"], "kubeconfig");
  if (path !== undefined) await writePrivateFile(path, kubeconfig(url, ownCa ?? cert.cert, pki.admin, namesOf(config)));
  return {
    url,
    port: listener.port,
    ca: ownCa,
    admin: pki.admin,
    kubeconfig: path,
    get catalog() {
      return server.catalog;
    },
    reload: () => opened.reload(true),
    close: once(async () => {
      opened.drain();
      const { config } = opened.inForce();
      await pause(config["shutdown-delay-duration"]);
      listener.beginShutdown();
      if (config["shutdown-send-retry-after"]) {
        way.turnAway();
        await way.idle(graceMs);
      }
      await opened.endWatches(config["shutdown-watch-termination-grace-period"]);
      opened.end();
      await listener.close(graceMs);
      await opened.close();
    }),
  };
}

/** How long a start waits for controllers: whoever asks then finds a server that is ready, unless something is slow. */
const startedMsMax = 2_000;

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

function isInMemory(config: Config): boolean {
  return config["data-dir"] === ":memory:";
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => running ??= run();
}

function pause(milliseconds: number): Promise<void> {
  return milliseconds === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The server's own authority is always among them: the kubeconfig that it writes must do. */
async function clientAuthorities(path: string, pki: Pki): Promise<string> {
  return path === "" ? pki.ca.cert : `${pki.ca.cert}\n${await readFile(path, "utf8")}`;
}

async function keyed(certPath: string, keyPath: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([readFile(certPath, "utf8"), readFile(keyPath, "utf8")]);
  // Not every runtime says so by itself: it would listen, and fail every handshake.
  if (!cert.includes("-----BEGIN CERTIFICATE-----")) throw new Error(`the file "${certPath}" holds no PEM certificate`);
  if (!key.includes("PRIVATE KEY-----")) throw new Error(`the file "${keyPath}" holds no PEM key`);
  return { cert, key };
}

async function authenticatorsOf(config: Config): Promise<readonly Authenticator[]> {
  const path = config["token-auth-file"];
  return path === "" ? [clientCertificates] : [clientCertificates, tokenFile(await readFile(path, "utf8"))];
}

function pkiOf(config: Config): Promise<Pki> {
  const folder = config["cert-dir"] !== "" ? config["cert-dir"] : isInMemory(config) ? undefined : join(config["data-dir"], "pki");
  return openPki({ directory: folder, bindAddress: config["bind-address"], names: namesOf(config), now: Date.now() });
}

/** Secrets lie in it: made here, so that nobody else may read it (sqlite's other files take over its mode). */
async function privateFile(path: string): Promise<string> {
  await (await open(path, "a", 0o600)).close();
  return path;
}

async function storeOf(config: Config, inMemory: boolean): Promise<Store> {
  const endpoints = config["etcd-servers"];
  if (endpoints.length === 0) return await openSqlite(inMemory ? ":memory:" : await privateFile(join(config["data-dir"], "store.sqlite")));
  const file = async (path: string) => path === "" ? undefined : await readFile(path, "utf8");
  const [ca, cert, key] = await Promise.all([file(config["etcd-cafile"]), file(config["etcd-certfile"]), file(config["etcd-keyfile"])]);
  const tls = ca === undefined ? {} : { tls: { ca, ...(cert === undefined || key === undefined ? {} : { cert, key }) } };
  return await openEtcd({ endpoints, ...tls });
}

/** What keys hold in a catalog: the kind with the longest matching place. */
function storedLabels(prefix: string): (catalog: Catalog, key: string) => StoredLabels {
  const tables = new WeakMap<Catalog, readonly (StoredLabels & { readonly start: string })[]>();
  const other = { group: "", resource: "" };
  return (catalog, key) => {
    let table = tables.get(catalog);
    if (table === undefined) {
      table = catalog.stored.map(({ under, group, plural }) => ({ start: `${prefix}/${under}/`, group, resource: plural }));
      tables.set(catalog, table);
    }
    return table.find(({ start }) => key.startsWith(start)) ?? other;
  };
}
