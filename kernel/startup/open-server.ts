/** A server that answers in process: what settings, plugins and a store make together, and how it follows other settings. */
import { once, pause, systemClock } from "../../core/async.ts";
import { limits } from "../../core/limits.ts";
import { followSources } from "../background/resource-sources.ts";
import { type ActiveConfig, activeConfigOf } from "../config/active-config.ts";
import type { Followed } from "../config/follow-files.ts";
import { apiAudiences } from "../config/service-accounts.ts";
import { watchFile } from "../config/watch-file.ts";
import { heavyRequests } from "../heavy/requests.ts";
import type { KernelRegistry } from "../observe/metrics.ts";
import { processReader, watchProcess } from "../observe/process-metrics.ts";
import type { Server } from "../server.ts";
import { assemble } from "./assemble.ts";
import { openAuthentication } from "./authenticators.ts";
import { openAuthorizationFile } from "./authorization-file.ts";
import { openAuthorization } from "./authorization.ts";
import type { InUse } from "./certificate-validity.ts";
import { rootCertificatesOf } from "./credentials.ts";
import { type ConfigInForce, configInForce } from "./config-in-force.ts";
import { checkDelegation, type FollowedTrust, openClusterTrust } from "./delegation.ts";
import { describeConfig } from "./describe-server.ts";
import { bootstrapHook, hookNames, openHealth } from "./health-checks.ts";
import { openedAudit } from "./open-audit.ts";
import { openControllers, serverApi } from "./open-controllers.ts";
import { openMetrics, servePluginMetrics } from "./open-metrics.ts";
import { openStorage } from "./open-storage.ts";
import { type Reload, reloader } from "./reload.ts";
import type { ServeOptions } from "./serve-options.ts";
import { openServiceAccounts } from "./service-accounts.ts";
import { watchEnds } from "./shutdown.ts";

/** A server that answers in process; `serve` gives it a socket. */
export interface Opened {
  readonly server: Server;
  readonly registry: KernelRegistry;
  /** Settled once the objects exist that must. */
  readonly bootstrapped: Promise<void>;
  /** Resolves once controllers have seen what there is, or that takes too long to wait for: it goes on after that. */
  readonly started: Promise<void>;
  readonly inForce: () => ActiveConfig;
  /** What the cluster in front publishes, if it is followed. */
  readonly clusterTrust: FollowedTrust | undefined;
  /** Replaces the configuration in force; requests that have begun finish with the previous one. */
  swap(next: ActiveConfig): void;
  readonly reload: Reload;
  /** What of its users, and of the way to its store, comes from files. */
  readonly followed: readonly Followed[];
  /** The certificates for its store, as they are in force. */
  readonly inUse: () => readonly InUse[];
  /** The address at which it is reached, for the documents about tokens of service accounts. */
  serveAt(url: string): void;
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
  const { config, plugins, log, startHeavy } = options;
  const ending = new AbortController(), { signal } = ending;
  const inForce = configInForce(activeConfigOf(config, plugins));
  const registry = openMetrics(config, log);
  servePluginMetrics(inForce, registry);
  registry.beforeScrape(processReader(registry.record));
  const accounts = await openServiceAccounts(config, { inForce, log, record: registry.record });
  await Promise.all(checkDelegation(config));
  const clusterTrust = await openClusterTrust(config, { log, signal });
  const authentication = await openAuthentication(config, {
    clusterTrust,
    inForce: inForce.current,
    log,
    record: registry.record,
    signal,
    serviceAccounts: [accounts.authenticator],
    audiences: () => apiAudiences(inForce.current().config),
  });
  const authorizationFile = await openAuthorizationFile({ inForce, registry });
  const rootCertificates = await rootCertificatesOf(config);
  const auditing = await openedAudit(config, log, registry.record);
  const { store, faults, cache, ...storage } = await openStorage(options, inForce, registry);
  accounts.lookUpIn(cache.reads);
  if (options.processMetrics === true) watchProcess(registry.record, signal);
  const health = openHealth(inForce, options.flushLog, signal);
  const { start } = health;
  const heavy = startHeavy &&
    heavyRequests({ start: startHeavy, store: cache.store, inForce: inForce.current, after: systemClock.after });
  const watches = watchEnds(signal);
  const authorization = openAuthorization({ inForce, registry, log, start, signal, file: authorizationFile });
  const server = assemble({
    ...health,
    inForce: inForce.current,
    onSwap: inForce.onSwap,
    heavy,
    store,
    faults,
    cache,
    registry,
    log,
    authentication,
    accounts,
    authorization,
    audit: auditing?.audit,
    ending: () => watches.signal(Math.random),
  });
  const api = serverApi(server);
  authorization.open(api);
  accounts.recordBy(api);
  const background = await openControllers(inForce, server, {
    store: cache.store,
    start,
    registry,
    log,
    rootCertificates,
    issueLegacyToken: accounts.issuer.issueLegacy,
    signal,
  });
  const sources = followSources({ ...inForce, api, start, log, signal });
  const bootstrapped = background.bootstrapped.then(() => start.finished(bootstrapHook));
  bootstrapped.catch(() => {}); // the caller awaits `bootstrapped` and gets the error
  describeConfig(inForce, registry, log);
  const { reload, watching } = followSource(options, inForce, registry, signal);
  return {
    server,
    registry,
    bootstrapped,
    started: Promise.race([
      start.all(hookNames(inForce.current().catalog)),
      pause(limits.startedMsMax, signal),
    ]),
    clusterTrust,
    inForce: inForce.current,
    swap: inForce.swap,
    reload,
    followed: [
      ...accounts.followed,
      ...authentication.followed,
      ...(authorizationFile === undefined ? [] : [authorizationFile.followed]),
      ...storage.followed,
    ],
    inUse: storage.inUse,
    serveAt: accounts.serveAt,
    drain: health.shutdown.fail,
    endWatches: watches.end,
    end: () => ending.abort(),
    close: once(async () => {
      ending.abort();
      await Promise.all([watching, background.ended(), sources, heavy?.close(), accounts.ended()]);
      await Promise.all([storage.close(), auditing?.close()]);
    }),
  };
}

/** Reads the configuration again when it is asked to, and when its file changes. `watching` settles after the signal aborts. */
function followSource(
  { config, plugins, source, log }: ServeOptions,
  { current, swap }: ConfigInForce,
  { record }: KernelRegistry,
  signal: AbortSignal,
): { readonly reload: Reload; readonly watching: Promise<void> } {
  const { text = "", read = () => Promise.resolve({ config, plugins, text: "" }), look } = source ?? {};
  const reload = reloader({ read, text, inForce: current, swap, record, log, now: Date.now });
  const watching = look === undefined
    ? Promise.resolve()
    : watchFile({ look, everyMs: lookEveryMs, clock: systemClock, signal, changed: () => reload(false) });
  return { reload, watching };
}
