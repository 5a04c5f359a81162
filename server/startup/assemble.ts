/** Assembles the server for `handle` from settings, plugins and a store. */
import { heldWrites } from "./held-writes.ts";
import { PeerError } from "../../core/connect.ts";
import { identityHeaders } from "../config/identity-headers.ts";
import type { Access, CallWebhook } from "../../core/access.ts";
import type { Api } from "../../core/api.ts";
import type { ConversionContext } from "../../core/conversion.ts";
import { abortable } from "../../core/async.ts";
import { peersOf } from "../../protocols/forward/peers.ts";
import type { Audit } from "../../kernel/access/audit/mod.ts";
import { authenticatedUsers, authenticateInOrder, refusalText } from "../../kernel/access/authentication/mod.ts";
import { type Chain, decideRequests, refusalOf } from "../../kernel/access/authorization/mod.ts";
import type { Check } from "../../health/mod.ts";
import type { OpenedReads } from "../../kernel/cache/mod.ts";
import { constrainedImpersonation } from "../impersonation/constrained.ts";
import { impersonateBy } from "../impersonation/legacy.ts";
import { recordsOf } from "../background/records.ts";
import { sourceHooks } from "../background/resource-sources.ts";
import { refusedPage } from "../status-page/refused.ts";
import { statusPage } from "../status-page/reply.ts";
import { DiscoveryReplies } from "../../kernel/nonresource/discovery/reply.ts";
import { nonresourceReply } from "../../kernel/nonresource/nonresource.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import { meterOf } from "../../kernel/observe/meter.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import { measuredDecision, observer } from "../../kernel/observe/observe.ts";
import type { RecentError } from "../log/recent-errors.ts";
import type { ControllerRow } from "../status-page/state.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { requestLog } from "../../kernel/observe/request-log.ts";
import { requestLabels } from "../../kernel/observe/request-metrics.ts";
import { goawayChooser } from "../../kernel/request/goaway.ts";
import type { HeavyWork } from "../../kernel/request/hand-over.ts";
import { type ServerClock, systemClock } from "../../core/async.ts";
import type { Backend } from "../../kernel/request-context.ts";
import { type Faults, troubleText } from "../../kernel/store/fault.ts";
import type { Server } from "../../kernel/server.ts";
import type { Store } from "../../kernel/store/store.ts";
import type { Aggregation } from "../aggregation/open-aggregation.ts";
import type { WorkerGroup } from "../workers/group.ts";
import type { Authentication } from "./authentication.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { serverApi } from "./open-controllers.ts";
import { settingOf } from "../config/plugin-settings.ts";
import { keyedHash } from "./keyed-hash.ts";
import { flowReply, type RequestLimits, requestLimits } from "./request-limits.ts";
import { refusalLog } from "./refusal-log.ts";
import { describeBuild, describeReleases } from "./describe-server.ts";
import { type CheckedParts, type CheckedStore, healthChecks } from "./health-checks.ts";
import { registerStoreMetrics } from "./store-metrics.ts";
import { buildInfo, versionText } from "./version.ts";
import { metricsReply } from "./metrics-reply.ts";
import { failingChecks, withWorkers } from "./worker-checks.ts";
import { tokenDocumentReply } from "./token-documents.ts";
import { zpagePaths, zpageReply } from "./zpages.ts";

/** The parts of a server. */
export interface Parts {
  readonly config: Pick<ConfigInForce, "current" | "onSwap">;
  readonly storage: StorageParts;
  readonly access: AccessParts;
  readonly reports: ReportParts;
  readonly health: Pick<CheckedParts, "start" | "shutdown" | "logWritten">;
  readonly processes: ProcessParts;
  /** Absent in tests that limit the requests in flight only. */
  readonly limits?: RequestLimits;
  /** Absent in tests without webhooks. */
  readonly callWebhook?: CallWebhook;
  /** Group versions of other servers; undefined if no plugin knows of any. */
  readonly aggregation?: Omit<Aggregation, "open"> | undefined;
  /** The times that are written into objects. Default: the system's. */
  readonly clock?: ServerClock;
  /** Returns the signal that ends a watch that begins now. */
  readonly ending: () => AbortSignal;
}

/** The objects. */
export interface StorageParts {
  /** Without the measuring wrapper. */
  readonly store: Store;
  /** Each store. Absent in tests with one. */
  readonly parts?: readonly CheckedStore[];
  readonly faults: Faults;
  readonly cache: OpenedReads;
  /** Checks of health beside those of the store. Absent in tests. */
  readonly checks?: readonly Check[];
  /** The means of conversions by webhooks. Absent in tests without them. */
  readonly conversions?: ConversionContext;
}
/** Who a user is, and what users may do. */
export interface AccessParts {
  readonly authentication: Pick<Authentication, "authenticators" | "authenticateToken" | "isAnonymous" | "issuer" | "documents">;
  readonly authorization: Chain;
}
/** What is recorded of requests, and what the status page shows. */
export interface ReportParts {
  readonly registry: KernelRegistry;
  readonly log: Log;
  readonly audit?: Audit | undefined;
  readonly tracing?: Tracing | undefined;
  /** The last errors of the log. */
  readonly recentErrors: () => readonly RecentError[];
  readonly controllers: () => readonly ControllerRow[];
}
/** The other thread and the other processes of the server. */
export interface ProcessParts {
  readonly heavy?: HeavyWork | undefined;
  /** The workers of which this server is one. */
  readonly workers?: WorkerGroup | undefined;
}

/** Milliseconds; never decreases. */
const { elapsed } = systemClock;

/** Assembles the server for `handle`. */
export function assemble(parts: Parts): Server {
  const { config: { current }, storage, reports } = parts, { registry, log } = reports, { record } = registry;
  const backend = backendOf(parts, () => server), { limits = requestLimits(parts.config, registry) } = parts;
  registerStoreMetrics(registry, {
    store: storage.store,
    parts: partsOf(storage).map(({ store }) => store),
    faults: storage.faults,
    prefix: backend.prefix,
    catalog: () => current().catalog,
  });
  const server: Server = {
    get catalog() {
      return current().catalog;
    },
    catalogChanged: catalogChanges(parts),
    isComplete: completeness(parts),
    get requestTimeoutMs() {
      return current().config["request-timeout"];
    },
    backend,
    storeTrouble: () => troubleText(storage.faults),
    heavy: parts.processes.heavy,
    observe: observer(record, elapsed, requestLog(log, () => current().config["slow-request-threshold"]), reports.tracing),
    authenticate: authenticateOf(parts),
    unauthenticated: refusalLog(log),
    authorize: authorizeOf(parts),
    audit: reports.audit,
    impersonate: impersonateOf(parts),
    access: accessOf(parts.access),
    sendsGoaway: goawayChooser(() => current().config["goaway-chance"], Math.random),
    admit: limits.admit,
    nonresource: nonresourceOf(parts, limits),
    ...aggregated(parts),
    refusedPage,
    countOwnRequest(method, info) {
      const { group, resource, subresource, verb } = requestLabels(method, info, undefined, current().catalog);
      record.selfRequests.with({ group, resource, subresource, verb }).add();
    },
    deprecated: ({ group, version, plural }, subresource, removedRelease) =>
      record.deprecated.with({ group, version, resource: plural, subresource, removed_release: removedRelease }).set(1),
    report: (error, reference) => log.error("a request met an unexpected condition", { reference, ...describe(error) }),
  };
  return server;
}

function partsOf({ parts, store, faults }: StorageParts): readonly CheckedStore[] {
  return parts ?? [{ store, faults }];
}

function catalogChanges({ config: { current, onSwap }, aggregation }: Parts): Server["catalogChanged"] {
  let { catalog } = current();
  let change = Promise.withResolvers<void>();
  const changed = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  aggregation?.onChange(changed);
  onSwap(() => {
    const next = current().catalog;
    if (next === catalog) return;
    catalog = next;
    changed();
  });
  return (signal) => abortable(change.promise, signal).catch(() => {}); // an abort is no error here
}

/** The requests that this server does not answer itself: those for other servers, and writes that have to wait. */
function aggregated({ aggregation, config: { current }, health: { start } }: Parts): Pick<Server, "elsewhere" | "isElsewhere" | "others"> {
  const held = heldWrites(() => current().catalog, start);
  const elsewhere: Server["elsewhere"] = (user, exchange, info, auditId) => {
    const error = held(user, info);
    return error === undefined ? aggregation?.elsewhere(user, exchange, info, auditId) : Promise.reject(error);
  };
  return aggregation === undefined ? { elsewhere } : { elsewhere, isElsewhere: aggregation.isElsewhere, others: aggregation.others };
}

function completeness({ config, health: { start }, aggregation }: Parts): Server["isComplete"] {
  const hooks = sourceHooks(config.current().catalog);
  let isComplete = hooks.length === 0 && aggregation === undefined;
  void Promise.all([start.all(hooks), aggregation?.ready]).then(() => isComplete = true);
  return () => isComplete;
}

function backendOf(
  { config: { current }, storage, reports, callWebhook, clock = systemClock, ending }: Parts,
  server: () => Server,
): Backend {
  let api: Api | undefined;
  const { cache, conversions } = storage, { registry, tracing } = reports, prefix = current().config["etcd-prefix"];
  return {
    allocation: {
      get api() {
        return api ??= serverApi(server());
      },
      setting: settingOf(current),
      records: recordsOf(cache.store, prefix),
    },
    store: cache.store,
    reads: cache.reads,
    prefix,
    clock: { ...clock, random: Math.random },
    ending,
    get minRequestTimeoutSeconds() {
      return current().config["min-request-timeout"];
    },
    meter: meterOf(registry.record, elapsed, tracing),
    metric: registry.metric,
    kept: new Map(),
    peers: peersOf((message, more) => new PeerError(message, more)),
    identityHeaders: () => identityHeaders(current().config),
    ...(conversions === undefined ? {} : { conversions }),
    ...(callWebhook === undefined ? {} : { callWebhook }),
  };
}

function authenticateOf({ access: { authentication }, reports: { registry: { record } } }: Parts): Server["authenticate"] {
  const authenticate = authenticateInOrder(
    authentication.authenticators,
    authentication.isAnonymous,
    (result, milliseconds) => {
      const labels = result === "success" ? succeeded : { result };
      record.authentications.with(labels).add();
      // The duration of a success is measured with the whole request.
      if (result !== "success") record.authenticationSeconds.with(labels).observe(milliseconds / 1000);
    },
    elapsed,
  );
  return (exchange, warn) => {
    if (exchange.peer !== undefined) record.certificateSeconds.with({}).observe((exchange.peer.expires - systemClock.now()) / 1000);
    return authenticate(exchange, warn);
  };
}

/** By the gate ConstrainedImpersonation, or as before. */
function impersonateOf({ config: { current }, access: { authorization: { decide } } }: Parts): Server["impersonate"] {
  const legacy = impersonateBy(decide), constrained = constrainedImpersonation({ decide, hash: keyedHash(), now: elapsed });
  return (...args) => (current().catalog.gates.isOn("ConstrainedImpersonation") ? constrained : legacy)(...args);
}

function authorizeOf({ access: { authorization }, reports: { registry: { record } } }: Parts): Server["authorize"] {
  const decide = measuredDecision(decideRequests(authorization.decide), record, elapsed);
  return async (user, info, decided, waiting) => {
    const decision = await decide(user, info, waiting);
    decided?.(decision);
    const refusal = refusalOf(user, info, decision);
    if (refusal !== undefined) throw refusal;
  };
}

function accessOf({ authorization, authentication: { authenticateToken, issuer } }: AccessParts): Access {
  const authenticated = authenticatedUsers();
  return {
    authorize: async (user, attributes, waiting) => await authorization.decide(user, attributes, waiting),
    rules: authorization.rules,
    async authenticateToken(token, audiences) {
      const outcome = await authenticateToken(token, audiences);
      if (outcome.tag === "accepted") return { ...outcome.accepted, user: authenticated(outcome.accepted.user) };
      if (outcome.reasons.length === 0) return undefined;
      throw new Error(refusalText(outcome.reasons));
    },
    issueToken: issuer.issue,
  };
}

/** Health, metrics, version, discovery and OpenAPI. */
function nonresourceOf(parts: Parts, limits: RequestLimits): Server["nonresource"] {
  const { config: { current }, storage, reports, health, clock = systemClock, processes: { workers } } = parts, { registry, log } = reports;
  const { record } = registry;
  const { releases } = current().catalog;
  const version = buildInfo(releases);
  describeBuild(registry, version);
  describeReleases(registry, releases);
  const own = healthChecks(
    { ...health, inForce: current, stores: partsOf(storage), cache: storage.cache, checks: storage.checks ?? [] },
    elapsed,
  );
  const checksOf = workers === undefined ? own : withWorkers(own, workers);
  const text = (which?: "slis") => workers === undefined ? registry.text(which) : workers.metrics(which);
  const restart = async (which?: "slis") => workers === undefined ? registry.restart(which) : await workers.restartMetrics(which);
  const facts = () => ({ errors: reports.recentErrors(), controllers: reports.controllers() });
  workers?.answerBy({
    async metrics(which, restarts) {
      if (restarts === true) registry.restart(which);
      return await registry.parts(which);
    },
    health: (type) =>
      failingChecks(type, own(current().catalog), (name, passed) => record.healthcheck.with({ name, type }).set(passed ? 1 : 0)),
    page: facts,
  });
  const { documents } = parts.access.authentication;
  const zpages = { version, config: () => current().config, now: systemClock.now, startedAt: systemClock.now() - elapsed() };
  const discovery = new DiscoveryReplies();
  const page = statusPage({
    version: versionText(),
    store: current().config["etcd-servers"].length > 0 ? "etcd" : "sqlite",
    metrics: () => text(),
    facts: async () => workers === undefined ? facts() : await workers.pageFacts(),
    now: clock.now,
  });
  return (exchange, info, catalog, mayGet) =>
    nonresourceReply(exchange, info, parts.aggregation?.documents.catalog(catalog, info.path) ?? catalog, mayGet, {
      page,
      checks: checksOf(catalog),
      version,
      process: async (exchange, info, catalog) =>
        await metricsReply(exchange, info.path, { text, restart, contentType: registry.contentType }) ??
          zpageReply(exchange, info, catalog, zpages) ?? flowReply(info, limits) ??
          await tokenDocumentReply(exchange, info.path, documents),
      processPaths: (catalog) => ["/metrics", "/metrics/slis", ...zpagePaths(catalog), ...documents.paths()],
      discovery,
      now: clock.now,
      openapi: (own) => parts.aggregation?.documents.openapi(own) ?? own,
      undescribed: (error, name) =>
        log.error(`the OpenAPI documents leave out ${name}, whose schemas cannot be published`, describe(error)),
      checked(type, name, passed) {
        record.healthcheck.with({ name, type }).set(passed ? 1 : 0);
        record.healthchecks.with({ name, type, status: passed ? "success" : "error" }).add();
      },
      unhealthy(endpoint, failures) {
        // A requested shutdown is not an error.
        const expected = failures.every(({ name, reason }) => name === health.shutdown.check.name || reason === health.shutdown.check.name);
        log[expected ? "info" : "error"](`${endpoint} fails`, { failures });
      },
    });
}

const succeeded = Object.freeze({ result: "success" });
