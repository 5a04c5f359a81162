/** Work beside requests under the active configuration: bootstrap objects, controllers of plugins, compaction. */
import type { Api } from "../../core/api.ts";
import type { Controller, ControllerContext, StartHook } from "../../core/controller.ts";
import type { StartUp } from "../../health/mod.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { applyPermissions } from "./controller-permissions.ts";
import type { ControllerBoard, ControllerDoing } from "./controller-board.ts";
import { type ContextParts, type ControllerContexts, controllerContexts } from "./controller-contexts.ts";
import { controllerNews, controllerStates, runControllers } from "./controllers.ts";
import { type ElectionNeeds, whenElected } from "./elected.ts";
import { type ActiveConfig, differInAppearedOnly } from "../config/active-config.ts";
import { sourceHooks } from "./resource-sources.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import { type BootstrapObject, bootstrapObjectsOf, type Bootstrapper, bootstrapper } from "./bootstrap-objects.ts";
import { pause, systemClock, untilAborted } from "../../core/async.ts";
import { startCompactor } from "./compactor.ts";
import type { Store } from "../../kernel/store/store.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds that controllers wait for the start hooks of authorizers. */
const controllersWaitMsMax = bound(1_000);

export interface Background {
  /** Settled after an attempt at each bootstrap object; rejects if one cannot be created yet. */
  readonly bootstrapped: Promise<void>;
  /** Resolves when all bootstrap objects exist. */
  readonly created: Promise<void>;
  /** Ends the work of the previous configuration, and starts that of `next`. */
  follow(next: ActiveConfig): void;
  /** Resolves when all work has ended after the abort of the signal. */
  ended(): Promise<void>;
}

/** Where background work reports what it does. */
export interface BackgroundReports {
  readonly start: StartUp;
  readonly log: Log;
  /** For lines about the settings, which all workers of a server share. */
  readonly findings: Pick<Log, "info">;
  /** Shows what the controllers do. */
  readonly board: ControllerBoard;
}

export interface BackgroundNeeds {
  /** The stores, each of which is compacted. */
  readonly stores: readonly Store[];
  readonly contexts: Omit<ContextParts, "log">;
  readonly reports: BackgroundReports;
  readonly election: ElectionNeeds;
  /** Whether the store has the default objects of the first configuration, which has the resources of all sources. Start hooks do not run again then. */
  readonly hasBegun?: boolean;
  /** When controllers and hooks may start. Default: at once. */
  readonly mayStart?: Promise<void> | undefined;
  readonly signal: AbortSignal;
}

const retryMs = 5_000;

export function runBackground(first: ActiveConfig, needs: BackgroundNeeds): Background {
  return new BackgroundWork(first, needs);
}

class BackgroundWork implements Background {
  readonly bootstrapped: Promise<void>;
  readonly #needs: BackgroundNeeds;
  readonly #bootstrap: Bootstrapper;
  /** The work of the controllers and hooks of the current catalog, and the compaction at the current interval. */
  readonly #controllers: Relay;
  readonly #compaction: Relay;
  #current: ActiveConfig;

  constructor(first: ActiveConfig, needs: BackgroundNeeds) {
    const { signal, reports: { log }, contexts: { apis } } = needs;
    this.#needs = needs;
    this.#controllers = relay(signal);
    this.#compaction = relay(signal);
    this.#current = first;
    const isServed = (object: BootstrapObject) => bootstrapObjectsOf(this.#current.catalog).includes(object);
    this.#bootstrap = bootstrapper({ api: apis.own, log, signal, isServed });
    if (needs.hasBegun === true) {
      for (const name of [...hooksOf(first.catalog).map((hook) => hook.name), ...sourceHooks(first.catalog)]) {
        needs.reports.start.finished(name);
      }
    }
    this.bootstrapped = this.#bootstrap.create(needs.hasBegun === true ? [] : bootstrapObjectsOf(first.catalog));
    this.#control(first);
    this.#compact(first);
  }

  get created(): Promise<void> {
    return this.#bootstrap.created;
  }
  follow(next: ActiveConfig): void {
    const before = this.#current;
    this.#current = next;
    // Controllers that use resources which appear follow them themselves.
    if (next.catalog !== before.catalog && !differInAppearedOnly(next, before)) this.#control(next, before);
    if (next.config["etcd-compaction-interval"] !== before.config["etcd-compaction-interval"]) this.#compact(next);
  }
  async ended(): Promise<void> {
    await Promise.all([this.#controllers.done(), this.#compaction.done()]);
  }

  /** Controllers read the served resources and the gates when they start: another catalog restarts all of them. */
  #control(next: ActiveConfig, before?: ActiveConfig): void {
    this.#controllers.next(async (running) => {
      const { contexts: given, reports: { start, log, findings, board }, election, mayStart } = this.#needs, { catalog } = next;
      if (mayStart !== undefined) await Promise.race([mayStart, untilAborted(running)]);
      if (running.aborted) return;
      start.clear();
      const states = controllerStates(catalog);
      for (const { message, controllers } of controllerNews(catalog, before?.catalog)) findings.info(message, { controllers });
      // A controller that does not run does not delay health checks.
      board.reset(
        states.map(({ controller: { name }, runs, lacks }) => [name, runs ? "starting" : lacks.length > 0 ? "unserved" : "off"]),
      );
      for (const { controller, runs } of states) if (!runs) start.finished(controllerHook(controller.name));
      const contexts = controllerContexts({ ...given, log }, catalog, () => this.#current.catalog);
      const chosen = states.filter(({ runs }) => runs).map(({ controller }) => controller);
      // On a server that is not the leader, controllers are not waited for.
      const resting = () => {
        for (const { name } of chosen) board.set(name, "waiting");
        controllerHooks(catalog).forEach(start.finished);
      };
      const { bootstrapped } = this;
      const run = (until: AbortSignal) => this.#runChosen(chosen, catalog, contexts.ofController, { running, until });
      await Promise.all([
        (before === undefined ? bootstrapped : this.#bootstrap.create(bootstrapObjectsOf(catalog))).catch(() => {}), // logged, and tried again
        whenElected(next, { ...election, log, clock: given.common.clock, bootstrapped, resting }, run, running),
        ...hooksOf(catalog).map((hook) => runHook(hook, contexts.ofHook(hook, running), start, log, running)),
      ]);
    });
  }

  /** Runs the controllers while this server is the leader (`until`) and its catalog is the current one (`running`). */
  async #runChosen(
    chosen: readonly Controller[],
    catalog: Catalog,
    contextOf: ControllerContexts["ofController"],
    { running, until }: { readonly running: AbortSignal; readonly until: AbortSignal },
  ): Promise<void> {
    const { contexts: { apis }, reports: { start, log, board } } = this.#needs;
    const all = (doing: ControllerDoing) => chosen.forEach(({ name }) => board.set(name, doing));
    all("starting");
    // Controllers that delete what they do not find must know the resources of all sources.
    await Promise.race([start.all(sourceHooks(catalog)), untilAborted(until)]);
    if (until.aborted) return;
    // Authorizers decide by what their plugins' hooks write: without it the requests of controllers are forbidden, and retried.
    const deciding = authorizerHooks(catalog);
    if (deciding.length > 0) await Promise.race([start.all(deciding), pause(controllersWaitMsMax, until, systemClock)]);
    if (until.aborted) return;
    void keepPermissions(chosen, apis.own, catalog, log, until);
    await runControllers(chosen, contextOf, until, {
      started: (name) => {
        board.set(name, "running");
        if (start.isSynced(name)) start.finished(controllerHook(name));
      },
      failed: (name, error) => {
        board.set(name, "failed");
        log.error(`controller ${name} failed and is restarted`, describe(error));
      },
    });
    // The lease is lost. The work of another configuration shows its own controllers.
    if (!running.aborted) all("waiting");
  }

  #compact({ config: { "etcd-compaction-interval": everyMs } }: ActiveConfig): void {
    this.#compaction.next(async (running) => {
      if (everyMs === 0) return;
      const { stores, contexts: { common: { clock } }, reports: { log } } = this.#needs;
      const onError = (error: unknown) => log.error("compaction failed", describe(error));
      const onIdle = (rounds: number) =>
        log.error("history has not been compacted, and the store grows", { rounds, minutes: Math.round(rounds * everyMs / 60_000) });
      await Promise.all(stores.map((store) => startCompactor(store, { everyMs, clock, signal: running, onError, onIdle })));
    });
  }
}

/** Name of a controller's hook, which finishes when the controller has received the initial state. */
export function controllerHook(controller: string): string {
  return `start-${controller}-controller`;
}
export function controllerHooks({ plugins }: Catalog): readonly string[] {
  return plugins.flatMap((plugin) => plugin.controllers ?? []).map(({ name }) => controllerHook(name));
}
/** Names of the start hooks of plugins with authorizers. */
function authorizerHooks({ plugins }: Catalog): readonly string[] {
  return plugins.filter(({ authorizers = [] }) => authorizers.length > 0).flatMap(({ startHooks = [] }) => startHooks).map(({ name }) =>
    name
  );
}
export function hooksOf({ plugins }: Catalog): readonly StartHook[] {
  return plugins.flatMap((plugin) => plugin.startHooks ?? []);
}

/** Runs a start hook, with retries after a pause. A finished hook does not run again under another catalog. */
async function runHook(hook: StartHook, world: ControllerContext, start: StartUp, log: Log, signal: AbortSignal): Promise<void> {
  const isDone = () => start.hook(hook.name).check(signal).then(() => true, () => false);
  for (let pauseMs = 100; !signal.aborted && !(await isDone()); pauseMs = Math.min(pauseMs * 2, 30_000)) {
    try {
      await Promise.race([hook.run(world, signal), untilAborted(signal)]); // A hook that does not end does not delay shutdown.
      if (!signal.aborted) start.finished(hook.name);
    } catch (error) {
      if (!signal.aborted) log.error(`start hook ${hook.name} failed and is retried`, describe(error));
      await pause(pauseMs, signal, systemClock);
    }
  }
  if (!signal.aborted) await hook.follow?.(world, signal);
}

interface Relay {
  /** Starts `run` when the work before has ended; never rejects. */
  next(run: (signal: AbortSignal) => Promise<void>): void;
  done(): Promise<void>;
}

/** Work of which each replaces the one before; `signal` ends it finally. */
function relay(signal: AbortSignal): Relay {
  let done = Promise.resolve();
  let stop = new AbortController();
  return {
    next(run) {
      stop.abort();
      stop = new AbortController();
      const running = AbortSignal.any([signal, stop.signal]);
      done = done.then(() => running.aborted ? undefined : run(running));
    },
    done: () => done,
  };
}

/** Applies the rights of controllers, with retries. Never rejects. */
async function keepPermissions(
  controllers: readonly Controller[],
  api: Api,
  catalog: Catalog,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await applyPermissions(controllers, api, catalog);
    } catch (error) {
      if (!signal.aborted) log.error("the rights of controllers cannot be written; the write is retried", describe(error));
    }
    await pause(retryMs, signal, systemClock);
  }
}
