/** A server in process: assembled from settings, plugins and a store, and updated when settings change. */
import { once, pause, type ServerClock, systemClock } from "../../core/async.ts";
import type { ClientTrustSource } from "../../core/authentication.ts";
import { openAggregation } from "../aggregation/open-aggregation.ts";
import { type AdmissionWebhookNeeds, admissionWebhooks } from "../webhooks/admission-webhooks.ts";
import { credentialsIn } from "../webhooks/webhook-credentials.ts";
import { followSources } from "../background/resource-sources.ts";
import { type ActiveConfig, activeConfigOf } from "../config/active-config.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { apiAudiences } from "../config/service-accounts.ts";
import { watchFile } from "../config/watch-file.ts";
import { heavyRequests } from "../heavy/requests.ts";
import { controllerBoard } from "../background/controller-board.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import { loggedProgress } from "../log/progress.ts";
import type { BeginProgress } from "../../core/progress.ts";
import { keepErrors } from "../log/recent-errors.ts";
import type { CacheContents } from "../../kernel/cache/mod.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import { processReader, watchProcess } from "../metrics/process-metrics.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { never } from "../../kernel/request-context.ts";
import type { Server } from "../../kernel/server.ts";
import { assemble, type Parts as ServerParts } from "./assemble.ts";
import { openAuthentication } from "./authentication.ts";
import { openAuthorizationFile } from "./authorization-file.ts";
import { authorizersHook, openAuthorization } from "./authorization.ts";
import type { InUse } from "./certificate-validity.ts";
import { grantCertificate } from "../../protocols/x509/certificate.ts";
import { clientTrustOf, rootCertificatesOf } from "./credentials.ts";
import { type ConfigInForce, configInForce } from "./config-in-force.ts";
import { checkDelegation } from "./delegation.ts";
import { describeConfig } from "./describe-server.ts";
import { bootstrapHook, discoveryHook, hookNames, openHealth } from "./health-checks.ts";
import { openAuditOf } from "./open-audit.ts";
import { flowControlContext, requestLimits } from "./request-limits.ts";
import { settingOf } from "../config/plugin-settings.ts";
import { partContext } from "./part-context.ts";
import { errorLog } from "./error-log.ts";
import { openTracing } from "./open-tracing.ts";
import { type ControllerNeeds, openControllers, serverApi } from "./open-controllers.ts";
import { openMetrics, servePluginMetrics } from "./open-metrics.ts";
import { lookUpObjects } from "./look-up-object.ts";
import { openStorage } from "./open-storage.ts";
import { type Reload, reloader } from "./reload.ts";
import { isFirst, sharedFindings } from "../workers/group.ts";
import type { ServeOptions } from "./serve-options.ts";
import { watchEnds } from "./shutdown.ts";
import { steadyClock } from "./steady-clock.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds that the start waits for controllers. */
const startedMsMax = bound(2_000);

/** A server in process; `serve` adds a listener. */
export interface Opened {
  readonly server: Server;
  readonly registry: KernelRegistry;
  /** Undefined for a server that does not trace. */
  readonly tracing: Tracing | undefined;
  /** Settled after an attempt at each bootstrap object; rejects if one cannot be created yet. The server is not ready before all exist. */
  readonly bootstrapped: Promise<void>;
  /** Resolves with true when controllers have received the initial state and all hooks have ended, or with false after a bounded wait. */
  readonly started: Promise<boolean>;
  /** Resolves when the authorizers decide, or after a bounded wait. */
  readonly authorizersReady: Promise<void>;
  readonly inForce: () => ActiveConfig;
  /** The contents of the cache, for a server that begins with them; undefined while the cache is filled. */
  readonly contents: () => CacheContents | undefined;
  /** CAs of clients that come from somewhere else than the flags, such as the cluster in front. */
  readonly clientTrust: ClientTrustSource | undefined;
  /** Replaces the active configuration; requests in flight finish with the previous one. */
  swap(next: ActiveConfig): void;
  readonly reload: Reload;
  /** Files of users and of the store's credentials, to be followed. */
  readonly followed: readonly FollowedFiles[];
  /** The certificates that the server uses, for the warnings before they end. */
  readonly inUse: () => readonly InUse[];
  /** Resolves when the authenticators are ready for the first request: the key of service account tokens exists, or could not be created. */
  authenticatorsReady(): Promise<void>;
  /** The URL of the server, for the discovery documents of service account tokens. */
  serveAt(url: string): void;
  /** Reports not ready from now on, and continues to serve. */
  drain(): void;
  /** Ends watches in shares within this time. */
  endWatches(withinMs: number): Promise<void>;
  /** Ends the remaining watches and background work. */
  end(): void;
  /** Ends everything and closes the store. */
  close(): Promise<void>;
}

/** Milliseconds between checks of the configuration file. */
const lookEveryMs = 1_000;

/** Opens the store, fills the cache and starts background work. Rejects if settings and plugins are invalid; what was opened before is closed then. */
export async function openServer(given: ServeOptions): Promise<Opened> {
  const ending = new AbortController(), closers: Closer[] = [];
  try {
    return await openParts(given, ending, closers);
  } catch (error) {
    ending.abort();
    // An error of closing must not hide the error of the start.
    await Promise.allSettled(closers.map((close) => close()));
    throw error;
  }
}

/** Closes a part that is open. */
type Closer = () => Promise<unknown>;

/** The steps of `openServer`. `closers` gets one for each part that is closed last: at the end of the server, or when a later step fails. */
async function openParts(given: ServeOptions, ending: AbortController, closers: Closer[]): Promise<Opened> {
  const { clock = systemClock } = given.instead ?? {};
  const { log, recent: recentErrors } = keepErrors(given.log, systemClock.now);
  const { progress = loggedProgress(log, systemClock.elapsed) } = given;
  const options = { ...given, log, progress }, { config, plugins } = options;
  const { signal } = ending;
  const inForce = configInForce(given.active ?? activeConfigOf(config, plugins));
  const registry = openRegistry(options, inForce);
  const tracing = await openTracing(config, log);
  if (tracing !== undefined) closers.push(() => tracing.close());
  const findings = sharedFindings(log, options.workers);
  const access = await openAccess(options, inForce, registry, { clock, signal, tracing, findings });
  // A clock that a test advances has no jumps.
  const { steady = clock === systemClock ? steadyClock(findings) : { now: clock.now, follow() {} } } = options.instead ?? {};
  steady.follow(signal);
  const auditing = await openAuditing(options, inForce, registry, { clock, tracing, findings });
  if (auditing !== undefined) closers.push(() => auditing.close());
  const storage = await openStorage({ ...options, clock: { ...clock, now: steady.now } }, inForce, registry, tracing);
  closers.push(() => storage.close());
  access.authentication.lookUpBy(lookUpObjects({
    catalog: () => inForce.current().catalog,
    reads: storage.cache.reads,
    prefix: config["etcd-prefix"],
    waiter: { signal: never },
  }));
  if (options.process !== undefined) watchProcess(registry.record, signal);
  const health = openHealth(inForce, options.process?.flushLog, signal);
  const watches = watchEnds(signal);
  const parts = { inForce, registry, access, storage, health, clock, signal };
  const board = controllerBoard();
  const { server, heavy, webhooks, hasRoles } = openRequests(options, {
    ...parts,
    reports: { registry, log, audit: auditing?.audit, tracing, recentErrors, controllers: board.rows },
    ending: () => watches.signal(Math.random),
  });
  const background = await openBackground(server, parts, {
    reports: { start: health.start, log, findings, board },
    progress,
    ...{ runsUnelected: isFirst(options.workers), hasRoles },
    ...{ hasBegun: options.instead?.begun !== undefined, mayStart: options.instead?.mayStart },
    ...(options.authority === undefined ? {} : { authority: options.authority }),
  });
  describeConfig(inForce, registry, findings);
  const { reload, watching } = followSource(options, inForce, registry, signal);
  return {
    ...membersOf(parts),
    server,
    tracing,
    bootstrapped: background.bootstrapped,
    reload,
    endWatches: watches.end,
    end: () => ending.abort(),
    close: once(async () => {
      ending.abort();
      await Promise.all([watching, background.ended(), heavy?.close(), access.authentication.ended()]);
      webhooks.close();
      await Promise.all(closers.map((close) => close()));
    }),
  };
}

/** The steps of `openServer` so far. */
interface OpenedParts {
  readonly inForce: ConfigInForce;
  readonly registry: KernelRegistry;
  readonly access: Awaited<ReturnType<typeof openAccess>>;
  readonly storage: Awaited<ReturnType<typeof openStorage>>;
  readonly health: ReturnType<typeof openHealth>;
  readonly clock: ServerClock;
  readonly signal: AbortSignal;
}

/** The metrics of the kernel and the plugins. */
function openRegistry({ config, log, workers }: ServeOptions, inForce: ConfigInForce): KernelRegistry {
  const registry = openMetrics(config, sharedFindings(log, workers));
  servePluginMetrics(inForce, registry);
  registry.beforeScrape(processReader(registry.record));
  return registry;
}

/** The audit, with the backends of plugins. */
function openAuditing(
  { config, log, workers }: ServeOptions,
  inForce: ConfigInForce,
  { record, metric }: KernelRegistry,
  { clock, tracing, findings }: Pick<OpenedParts, "clock"> & { readonly tracing: Tracing | undefined; readonly findings: Log },
) {
  const { current } = inForce;
  const names = () => current().catalog.names, gate = (name: string) => current().catalog.gates.isOn(name);
  return openAuditOf(config, {
    log,
    findings,
    record,
    clock,
    auditLog: workers?.auditLog,
    ofPlugins: current().catalog.plugins.flatMap(({ auditBackends = [] }) => auditBackends),
    part: (owner, signal) => partContext(owner, { current, names, gate, clock, metric, log, tracing }, signal),
  });
}

/** Authentication, and the files of authorization. */
async function openAccess(
  { config, log, ownCa }: ServeOptions,
  inForce: ConfigInForce,
  registry: KernelRegistry,
  { clock, signal, tracing, findings }: Pick<OpenedParts, "clock" | "signal"> & {
    readonly tracing: Tracing | undefined;
    readonly findings: Log;
  },
) {
  await Promise.all(checkDelegation(config).map(([, check]) => check));
  const audiences = () => apiAudiences(inForce.current().config);
  const authentication = await openAuthentication({ inForce, registry, log, findings, audiences, tracing, clock, signal });
  const authorizationFile = await openAuthorizationFile({ inForce, registry, clock });
  // Clients in a simulated cluster expect what kube-controller-manager publishes in each.
  const rootCertificates = await rootCertificatesOf(config) ?? (config.simulate ? await ownCa : undefined);
  return { authentication, authorizationFile, rootCertificates };
}

/** The part of the server that handles requests, and the thread for large ones. */
function openRequests(
  { startHeavy, workers }: ServeOptions,
  { inForce, access, storage, health, clock, signal, reports, ending }:
    & OpenedParts
    & Pick<ServerParts, "reports" | "ending">,
) {
  const { authentication, authorizationFile: file } = access, { registry, log, tracing } = reports, { cache: { store } } = storage;
  const webhooks = admissionWebhooks({ ...webhookNeeds(inForce), ...(tracing === undefined ? {} : { tracing }) });
  const { call: callWebhook } = webhooks;
  const heavy = startHeavy &&
    heavyRequests({ start: startHeavy, store, callWebhook, inForce: inForce.current, after: systemClock.after, tracing });
  const findings = sharedFindings(log, workers);
  const authorization = openAuthorization({ inForce, registry, log, findings, start: health.start, clock, signal, file, tracing });
  const limits = requestLimits(inForce, registry);
  const aggregation = openAggregation({
    ...{ current: inForce.current, registry, ending, signal },
    setting: settingOf(inForce.current),
    logError: errorLog(log),
    makeDocument: heavy && ((work, signal) => heavy.makeDocument(work, signal)),
  });
  const server = assemble({
    ...{ config: inForce, aggregation },
    limits,
    storage,
    access: { authentication, authorization },
    reports,
    health,
    processes: { heavy, workers },
    callWebhook,
    clock,
    ending,
  });
  const api = serverApi(server);
  authentication.open(api);
  authorization.open(api);
  limits.open(flowControlContext({
    api,
    current: inForce.current,
    store: storage.store,
    setting: settingOf(inForce.current),
    metric: registry.metric,
    logError: (sentence, error) => log.error(`flow control: ${sentence}`, error === undefined ? {} : describe(error)),
    signal,
  }));
  aggregation?.open(api, server.backend.peers!); // assembled with them
  void aggregation?.askedOnce.then(() => health.start.finished(discoveryHook));
  return { server, heavy, webhooks, hasRoles: authorization.hasRoles };
}

/** Addresses of webhooks, and their credentials from the configuration of admission steps. */
function webhookNeeds(inForce: ConfigInForce): AdmissionWebhookNeeds {
  const { config, admission: { kubeconfigs } } = inForce.current(), addresses = config["webhook-addresses"];
  if (kubeconfigs.size === 0) return { addresses };
  return {
    addresses,
    async credentialsFor(step, hostPort) {
      const path = kubeconfigs.get(step);
      return path === undefined ? {} : await credentialsIn(path, hostPort);
    },
  };
}

/** Bootstrap objects, controllers, and resources that appear while the server runs. */
async function openBackground(
  server: Server,
  { inForce, registry, access, storage, clock, signal }: OpenedParts,
  { reports, progress, runsUnelected, hasRoles, hasBegun, mayStart, authority }:
    & Pick<ControllerNeeds, "reports" | "runsUnelected" | "hasRoles" | "hasBegun" | "mayStart">
    & Pick<ServeOptions, "authority">
    & { readonly progress: BeginProgress },
) {
  const { start, log } = reports, { rootCertificates, authentication } = access;
  const background = await openControllers(inForce, server, {
    store: storage.cache.store,
    compacted: storage.parts.map(({ compacted }) => compacted),
    registry,
    reports,
    context: {
      ...{ clock, progress, rootCertificates, issueLegacyToken: authentication.issuer.issueLegacy },
      clientTrust: () => clientTrustOf(inForce.current().config),
      signCertificate: authority === undefined ? undefined : async (granted) => grantCertificate(granted, (await authority)()),
    },
    runsUnelected,
    hasRoles,
    hasBegun,
    mayStart,
    signal,
  });
  const sources = followSources({ ...inForce, api: serverApi(server), start, log, signal });
  void background.created.then(() => start.finished(bootstrapHook));
  const { bootstrapped } = background;
  bootstrapped.catch(() => {}); // the caller awaits `bootstrapped` and gets the error
  return { bootstrapped, ended: () => Promise.all([background.ended(), sources]) };
}

/** The members of `Opened` that come from single parts. */
function membersOf(
  { inForce, registry, access: { authentication, authorizationFile }, storage, health, signal }: OpenedParts,
) {
  return {
    registry,
    started: Promise.race([
      health.start.all(hookNames(inForce.current().catalog)).then(() => true),
      pause(startedMsMax, signal, systemClock).then(() => false),
    ]),
    authorizersReady: Promise.race([health.start.all([authorizersHook]), pause(startedMsMax, signal)]),
    clientTrust: authentication.trust,
    inForce: inForce.current,
    contents: storage.cache.contents,
    swap: inForce.swap,
    followed: [
      ...authentication.followed(),
      ...(authorizationFile === undefined ? [] : [authorizationFile.followed]),
      ...storage.followed,
    ],
    inUse: storage.inUse,
    authenticatorsReady: authentication.ready,
    serveAt: authentication.serveAt,
    drain: health.shutdown.fail,
  };
}

/** Reads the configuration again on request, and when its file changes. `watching` settles after the signal aborts. */
function followSource(
  { config, plugins, source, log }: ServeOptions,
  { current, swap }: ConfigInForce,
  { record }: KernelRegistry,
  signal: AbortSignal,
): { readonly reload: Reload; readonly watching: Promise<void> } {
  const { text = "", read = () => Promise.resolve({ config, plugins, text: "" }), look } = source ?? {};
  const reload = reloader({ read, text, inForce: current, swap, record, log, now: systemClock.now });
  const watching = look === undefined
    ? Promise.resolve()
    : watchFile({ look, everyMs: lookEveryMs, clock: systemClock, signal, changed: () => reload(false) });
  return { reload, watching };
}
