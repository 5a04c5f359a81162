/** The checks behind `/livez`, `/readyz` and `/healthz`. */
import {
  type Check,
  type Checks,
  type Endpoint,
  flushEveryMs,
  graceful,
  logCheck,
  ping,
  type StartUp,
  startUp,
  switchCheck,
} from "../../health/mod.ts";
import { controllerHooks, hooksOf } from "../background/background.ts";
import { sourceHooks } from "../background/resource-sources.ts";
import type { OpenedReads } from "../../kernel/cache/mod.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { storeChecks } from "./store-checks.ts";
import type { Store } from "../../kernel/store/store.ts";
import type { Faults } from "../../kernel/store/fault.ts";
import { authorizersHook } from "./authorization.ts";
import type { ConfigInForce } from "./config-in-force.ts";

/** One store with its own faults. */
export interface CheckedStore {
  readonly store: Store;
  readonly faults: Pick<Faults, "current">;
}

/** The parts of the server that the checks read. */
export interface CheckedParts {
  readonly inForce: () => ActiveConfig;
  /** The first is that of most objects, the others those of --etcd-servers-overrides. */
  readonly stores: readonly CheckedStore[];
  /** Of KMS plugins. As upstream, they are no reason to restart the server. */
  readonly checks: readonly Check[];
  readonly cache: Pick<OpenedReads, "state">;
  readonly start: StartUp;
  readonly shutdown: ReturnType<typeof switchCheck>;
  /** `log`. */
  readonly logWritten: Check;
}

/** The checks that do not depend on the store. `flushLog` resolves when all log lines are written. */
export function openHealth(
  inForce: ConfigInForce,
  flushLog: (() => Promise<void>) | undefined,
  signal: AbortSignal,
): Pick<CheckedParts, "start" | "shutdown" | "logWritten"> {
  const start = startUp();
  const { check, flushed } = logCheck(() => performance.now());
  keepFlushing(flushLog ?? (() => Promise.resolve()), flushed, signal);
  inForce.onSwap((_, before) => start.setStarted(hookNames(before.catalog)));
  return { start, shutdown: switchCheck("shutdown", "process is shutting down", true), logWritten: check };
}

/** The checks of each endpoint under a catalog, in order of the report. `elapsed` is in milliseconds and monotonic. */
export function healthChecks(parts: CheckedParts, elapsed: () => number): (catalog: Catalog) => Checks {
  const { inForce, checks, cache, start, shutdown, logWritten } = parts;
  const key = `${inForce().config["etcd-prefix"]}/health`;
  const ofStores = parts.stores.map(({ store, faults }, number) => {
    const { alive, usable } = storeChecks(store, key, faults, elapsed);
    // Upstream's names.
    return number === 0 ? { alive, usable } : {
      alive: { ...alive, name: `etcd-override-${number - 1}` },
      usable: { ...usable, name: `etcd-override-readiness-${number - 1}` },
    };
  });
  const begun = elapsed();
  const filled = latch("poststarthook/storage-readiness", () => cache.state().tag === "current");
  return (catalog) => {
    const { config } = inForce();
    const etcd = ofStores.map(({ alive }) => ({ ...alive, timeoutMs: config["etcd-healthcheck-timeout"] }));
    const etcdReady = ofStores.map(({ usable }) => ({ ...usable, timeoutMs: config["etcd-readycheck-timeout"] }));
    const names = hookNames(catalog);
    start.setStarted(names);
    const checksOf = new Map(hooksOf(catalog).map(({ name, checks }) => [name, checks]));
    const hooks = [filled, ...names.flatMap((name) => (checksOf.get(name) ?? [undefined]).map((check) => start.hook(name, check)))];
    const isOver = () => elapsed() - begun >= config["livez-grace-period"];
    const ofPlugins = (endpoint: Endpoint) =>
      catalog.plugins.flatMap(({ healthChecks = [] }) => healthChecks).filter(({ endpoints = ["readyz", "healthz"] }) =>
        endpoints.includes(endpoint)
      );
    return {
      livez: [ping, logWritten, ...etcd, ...hooks.map((hook) => graceful(hook, isOver)), ...ofPlugins("livez")],
      healthz: [ping, logWritten, ...etcd, ...checks, ...hooks, ...ofPlugins("healthz")],
      readyz: [ping, logWritten, ...etcd, ...etcdReady, ...checks, start.informers, ...hooks, ...ofPlugins("readyz"), shutdown.check],
    };
  };
}

/** Post-start hooks in order of the report. */
export function hookNames(catalog: Catalog): readonly string[] {
  return [
    bootstrapHook,
    authorizersHook,
    ...(catalog.plugins.some(({ delegate }) => delegate !== undefined) ? [discoveryHook] : []),
    ...sourceHooks(catalog),
    ...controllerHooks(catalog),
    ...hooksOf(catalog).map(({ name }) => name),
  ];
}
/** The hook that asks registered servers for their discovery (upstream's name). */
export const discoveryHook = "apiservice-discovery-controller";
/** The hook that creates the bootstrap objects. */
export const bootstrapHook = "create-initial-objects";

/** A hook that finishes when `is` first returns true, and stays finished. */
function latch(name: string, is: () => boolean): Check {
  let finished = false;
  return {
    name,
    check() {
      finished ||= is();
      return finished ? Promise.resolve() : Promise.reject(new Error("not finished"));
    },
  };
}

/** Flushes the log periodically. A running flush delays the next one. */
function keepFlushing(flush: () => Promise<void>, flushed: () => void, signal: AbortSignal): void {
  let asking = false;
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    flush().then(flushed, () => {}).finally(() => asking = false);
  }, flushEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
