/** From settings, plugins and a store to everything that `handle` asks of a server. */
import { abortable } from "../../core/async.ts";
import { limits } from "../../core/limits.ts";
import { StatusError } from "../../core/status-error.ts";
import { type Check, type Checks, type Endpoint, graceful, ping, type StartUp, type switchCheck } from "../../health/mod.ts";
import { authenticateInOrder, type Authenticator } from "../access/authentication/mod.ts";
import { controllerHooks, hooksOf } from "../background/background.ts";
import { authorizeInOrder, publicInformation, systemDiscovery, systemMasters, systemMonitoring } from "../access/authorization/mod.ts";
import { goawayChooser } from "../request/goaway.ts";
import type { OpenedReads } from "../cache/mod.ts";
import type { Backend } from "../request-context.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { HeavyWork } from "../request/hand-over.ts";
import { inflightLimit } from "../request/inflight.ts";
import { describe, type Log } from "../observe/log.ts";
import { meterOf } from "../observe/meter.ts";
import type { KernelRegistry } from "../observe/metrics.ts";
import { measuredAuthorize, observer } from "../observe/observe.ts";
import { outerReply } from "../nonresource/nonresource.ts";
import { requestLabels } from "../observe/request-metrics.ts";
import { requestLog } from "../observe/request-log.ts";
import type { Server } from "../server.ts";
import type { Store } from "../store/store.ts";
import { storeChecks } from "../nonresource/store-checks.ts";
import { troubleKinds, type Troubles } from "../store/trouble.ts";
import { buildInfo } from "./version.ts";

/** What a server is made of. */
export interface Parts {
  /** The generation in force. */
  readonly inForce: () => ActiveConfig;
  readonly store: Store;
  /** What keeps the store from its work. */
  readonly troubles: Troubles;
  readonly cache: OpenedReads;
  readonly registry: KernelRegistry;
  readonly log: Log;
  /** In the order in which they are asked. */
  readonly authenticators: readonly Authenticator[];
  /** Aborts when a watch that begins now has to end. */
  readonly ending: () => AbortSignal;
  readonly shutdown: ReturnType<typeof switchCheck>;
  readonly start: StartUp;
  readonly heavy?: HeavyWork | undefined;
  /** `log`. */
  readonly logWritten: Check;
}

/** Everything that `handle` asks of a server. */
export function assemble(parts: Parts): Server {
  const { inForce, cache, registry, log, authenticators, ending, shutdown, start, logWritten } = parts;
  const { record } = registry;
  const elapsed = () => performance.now();
  const prefix = inForce().config["etcd-prefix"];
  const { store } = cache;
  const clock = { now: () => Date.now(), random: () => Math.random() };
  const { alive, usable } = storeChecks(parts.store, `${prefix}/health`, parts.troubles, elapsed);
  const begun = elapsed();
  const filled = latched("poststarthook/storage-readiness", () => cache.state().tag === "current");
  const checksOf = (catalog: Catalog): Checks => {
    const { config } = inForce();
    const etcd = { ...alive, timeoutMs: config["etcd-healthcheck-timeout"] };
    const names = hookNames(catalog);
    start.settle(names);
    const hooks = [filled, ...names.map(start.hook)];
    const isOver = () => elapsed() - begun >= config["livez-grace-period"];
    const ofPlugins = (endpoint: Endpoint) =>
      catalog.plugins.flatMap(({ healthChecks = [] }) => healthChecks).filter(({ endpoints = ["readyz", "healthz"] }) =>
        endpoints.includes(endpoint)
      );
    return {
      livez: [ping, logWritten, etcd, ...hooks.map((hook) => graceful(hook, isOver)), ...ofPlugins("livez")],
      healthz: [ping, logWritten, etcd, ...hooks, ...ofPlugins("healthz")],
      readyz: [
        ping,
        logWritten,
        etcd,
        { ...usable, timeoutMs: config["etcd-readycheck-timeout"] },
        start.informers,
        ...hooks,
        ...ofPlugins("readyz"),
        shutdown.check,
      ],
    };
  };
  const version = buildInfo();
  describeBuild(registry, version);
  const authorize = measuredAuthorize(
    authorizeInOrder([systemMasters, systemMonitoring, publicInformation, systemDiscovery]),
    isRefusal,
    record,
    elapsed,
  );
  const backend: Backend = {
    store,
    reads: cache.reads,
    prefix,
    clock,
    ending,
    get minRequestTimeoutSeconds() {
      return inForce().config["min-request-timeout"];
    },
    meter: meterOf(record, elapsed),
  };
  registry.beforeScrape(() => countObjects(inForce().catalog, parts.store, prefix, registry));
  registry.beforeScrape(() => tellSize(parts.store, registry));
  registry.beforeScrape(() => showTroubles(parts.troubles, registry));
  const observe = observer(record, elapsed, requestLog(log, () => inForce().config["slow-request-threshold"]));
  const authenticate = authenticateInOrder(
    authenticators,
    () => inForce().config["anonymous-auth"],
    (result) => record.authentications.with(result === "success" ? succeeded : { result }).add(),
  );
  return {
    get catalog() {
      return inForce().catalog;
    },
    backend,
    heavy: parts.heavy,
    get requestTimeoutMs() {
      return inForce().config["request-timeout"];
    },
    observe,
    authenticate(exchange, warn) {
      if (exchange.peer !== undefined) record.certificateSeconds.with({}).observe((exchange.peer.expires - clock.now()) / 1000);
      return authenticate(exchange, warn);
    },
    authorize,
    sendsGoaway: goawayChooser(() => inForce().config["goaway-chance"], clock.random),
    admit: inflightLimit(
      () => {
        const { config } = inForce();
        return { readOnly: config["max-requests-inflight"], mutating: config["max-mutating-requests-inflight"] };
      },
      ({ readOnly, mutating }) => {
        record.inflight.with(readOnlyRequests).set(readOnly);
        record.inflight.with(mutatingRequests).set(mutating);
      },
    ),
    nonresource: (exchange, info, catalog) =>
      outerReply(exchange, info, catalog, {
        checks: checksOf(catalog),
        version,
        metrics: async (which) => ({ contentType: registry.contentType, text: await registry.text(which) }),
        now: clock.now,
        checked(type, name, passed) {
          record.healthcheck.with({ name, type }).set(passed ? 1 : 0);
          record.healthchecks.with({ name, type, status: passed ? "success" : "error" }).add();
        },
        unhealthy(endpoint, failures) {
          // Somebody asked for it.
          const expected = failures.every(({ name }) => name === shutdown.check.name);
          log[expected ? "info" : "error"](`${endpoint} fails`, { failures });
        },
      }),
    askedItself(method, info) {
      const { group, resource, subresource, verb } = requestLabels(method, info, undefined, inForce().catalog);
      record.selfRequests.with({ group, resource, subresource, verb }).add();
    },
    deprecated: ({ group, version, plural }, subresource, removedRelease) =>
      record.deprecated.with({ group, version, resource: plural, subresource, removed_release: removedRelease }).set(1),
    report: (error, reference) => log.error("a request met an unexpected condition", { reference, ...describe(error) }),
  };
}

const readOnlyRequests = Object.freeze({ request_kind: "readOnly" });
const mutatingRequests = Object.freeze({ request_kind: "mutating" });
const succeeded = Object.freeze({ result: "success" });

/** Tells which gates are on; those that have left with their plugins are told no more. */
export function describeGates({ record }: KernelRegistry, { gates }: Catalog): void {
  record.featureEnabled.reset();
  for (const { name, stage, on } of gates.states) {
    record.featureEnabled.with({ name, stage: stage === "GA" ? "" : stage.toUpperCase() }).set(on ? 1 : 0);
  }
}

/** Post-start hooks in the order in which they are reported. */
export function hookNames(catalog: Catalog): readonly string[] {
  return [seedsHook, ...controllerHooks(catalog), ...hooksOf(catalog).map(({ name }) => name)];
}
/** The hook that makes the objects that must exist. */
export const seedsHook = "create-initial-objects";

/** A hook that is finished once `is` was true, and stays so. */
function latched(name: string, is: () => boolean): Check {
  let finished = false;
  return {
    name,
    check() {
      finished ||= is();
      return finished ? Promise.resolve() : Promise.reject(new Error("not finished"));
    },
  };
}

function describeBuild({ record }: KernelRegistry, version: ReturnType<typeof buildInfo>): void {
  record.buildInfo.with({
    build_date: version.buildDate,
    compiler: version.compiler,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    git_version: version.gitVersion,
    go_version: version.goVersion,
    major: version.major,
    minor: version.minor,
    platform: version.platform,
  }).set(1);
}

/** Asks the store itself: a scrape is no request and is not counted as one. One that does not answer in time keeps no scrape waiting. */
async function countObjects(catalog: Catalog, store: Store, prefix: string, { record }: KernelRegistry): Promise<void> {
  const signal = AbortSignal.timeout(limits.scrapeStoreMs);
  const counts = await Promise.all(catalog.stored.map(async ({ under, group, plural }) => {
    // One entry tells the count of all.
    const count = await store.list({ prefix: `${prefix}/${under}/` }, { limit: 1, signal }).then((listing) => listing.count, () => -1);
    return { group, plural, count };
  }));
  // Kinds that are gone are counted no more.
  record.objects.reset();
  record.objectsByName.reset();
  for (const { group, plural, count } of counts) {
    record.objects.with({ group, resource: plural }).set(count);
    record.objectsByName.with({ resource: group === "" ? plural : `${plural}.${group}` }).set(count);
  }
}

/** Left as it was where the store does not say. */
async function tellSize(store: Store, { record }: KernelRegistry): Promise<void> {
  const bytes = await abortable(store.size(), AbortSignal.timeout(limits.scrapeStoreMs)).catch(() => undefined);
  // Upstream numbers its clusters of etcd; there is one store.
  if (bytes !== undefined) record.storeBytes.with({ storage_cluster_id: "etcd-0" }).set(bytes);
}

function showTroubles({ current }: Troubles, { record }: KernelRegistry): void {
  for (const cause of troubleKinds) record.storeTrouble.with({ cause }).set(current.some(({ kind }) => kind === cause) ? 1 : 0);
}

function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.reason === "Forbidden";
}
