/** What goes on beside requests while a generation is in force: first objects, controllers of plugins, compaction. */
import type { Api } from "../../core/api.ts";
import type { Controller, ControllerContext, StartHook } from "../../core/plugin.ts";
import type { WorkMeter } from "../../core/work.ts";
import type { MetricOf } from "../../metrics/mod.ts";
import type { StartUp } from "../../health/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { applyPermissions } from "./controller-permissions.ts";
import { controllerNews, controllerStates, runControllers } from "./controllers.ts";
import { type ElectionNeeds, whenElected } from "./elected.ts";
import { type ActiveConfig, differInAppearedOnly } from "../config/active-config.ts";
import { describe, type Log } from "../observe/log.ts";
import { bootstrapObjectsOf, createBootstrapObjects } from "./bootstrap-objects.ts";
import { pause, systemClock, untilAborted } from "../../core/async.ts";
import { spell } from "../../core/names.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { eventRecorder, eventsVersion } from "./event-recorder.ts";
import { startCompactor } from "../store/compactor.ts";
import type { Store } from "../store/store.ts";

export interface Background {
  /** Settled once the objects exist that must. */
  readonly bootstrapped: Promise<void>;
  /** Ends what ran for the generation before, and starts what this one has. */
  follow(next: ActiveConfig): void;
  /** Resolves when all has ended, after the signal has aborted. */
  ended(): Promise<void>;
}

export interface BackgroundNeeds {
  readonly store: Store;
  readonly api: Api;
  /** The API of one controller, which reports its watches, and of one start hook. Each writes with its own field manager. */
  readonly apiOf: (controller: Controller, until: AbortSignal) => Api;
  readonly hookApiOf: (hook: StartHook) => Api;
  /** Name of the machine, for the events of controllers and start hooks. */
  readonly host: string;
  readonly election: ElectionNeeds;
  readonly start: StartUp;
  readonly log: Log;
  /** PEM of the authorities that controllers publish. */
  readonly rootCertificates: string | undefined;
  /** Signs the tokens that Secrets hold. */
  readonly issueLegacyToken?: ControllerContext["issueLegacyToken"];
  /** The meter of a controller's queue, which begins empty. */
  readonly queue: (controller: string) => WorkMeter;
  /** Recorders of the metrics of plugins. */
  readonly metric: MetricOf;
  readonly signal: AbortSignal;
}

const retryMs = 5_000;

export function runBackground(
  first: ActiveConfig,
  { store, api, apiOf, hookApiOf, host, election, start, log, queue, metric, rootCertificates, issueLegacyToken, signal }: BackgroundNeeds,
): Background {
  const controllers = relay(signal), compaction = relay(signal);
  const bootstrapped = createBootstrapObjects(bootstrapObjectsOf(first.catalog), api);
  let current = first;

  // Controllers read what is served and which gates are on when they begin: under another catalog all of them begin anew.
  const control = (next: ActiveConfig, before?: ActiveConfig) =>
    controllers.next(async (running) => {
      start.clear();
      const { catalog } = next;
      const states = controllerStates(catalog);
      for (const line of controllerNews(catalog, before?.catalog)) log.info(line);
      // A controller that does not run delays no health check.
      for (const { controller, runs } of states) if (!runs) start.finished(controllerHook(controller.name));
      const shared = {
        names: catalog.names,
        gates: catalog.gates.isOn,
        metric,
        ...(rootCertificates === undefined ? {} : { rootCertificates }),
        ...(issueLegacyToken === undefined ? {} : { issueLegacyToken }),
      };
      // The members that differ between controllers and start hooks.
      const contextOf = (what: string, name: string, api: Api, until: AbortSignal): ControllerContext => {
        const logError = (sentence: string, error?: unknown) =>
          log.error(`${what} ${name}: ${sentence}`, error === undefined ? {} : describe(error));
        const options = { api, controller: name, host, clock: systemClock, random: Math.random, signal: until, failed: logError };
        return { ...shared, api, logError, events: servesEvents(catalog) ? eventRecorder(options) : { record() {} } };
      };
      const controllerContextOf = (controller: Controller, until: AbortSignal) => ({
        ...contextOf("controller", controller.name, apiOf(controller, until), until),
        work: queue(controller.name),
      });
      const chosen = states.filter(({ runs }) => runs).map(({ controller }) => controller);
      const run = (until: AbortSignal) => {
        // Controllers whose rights are not there yet are refused, and try again.
        void keepPermissions(chosen, api, catalog, log, until);
        return runControllers(
          chosen,
          controllerContextOf,
          until,
          {
            started: (name) => {
              if (start.isSynced(name)) start.finished(controllerHook(name));
            },
            failed: (name, error) => log.error(`controller ${name} failed and starts again`, describe(error)),
          },
        );
      };
      // A server whose controllers rest has nothing to wait for.
      const resting = () => controllerHooks(catalog).forEach(start.finished);
      await Promise.all([
        before === undefined ? bootstrapped.catch(() => {}) : plantNew(before.catalog, catalog, api, log, running),
        whenElected(next, { ...election, log, bootstrapped, resting }, run, running),
        ...hooksOf(catalog).map((hook) => runHook(hook, contextOf("start hook", hook.name, hookApiOf(hook), running), start, log, running)),
      ]);
    });
  const compact = ({ config: { "etcd-compaction-interval": everyMs } }: ActiveConfig) =>
    compaction.next(async (running) => {
      if (everyMs === 0) return;
      const onError = (error: unknown) => log.error("compaction failed", describe(error));
      await startCompactor(store, { everyMs, signal: running, onError });
    });
  control(first);
  compact(first);
  return {
    bootstrapped,
    follow(next) {
      const before = current;
      current = next;
      // Controllers that use resources which appear follow them themselves.
      if (next.catalog !== before.catalog && !differInAppearedOnly(next, before)) control(next, before);
      if (next.config["etcd-compaction-interval"] !== before.config["etcd-compaction-interval"]) compact(next);
    },
    async ended() {
      await Promise.all([controllers.done(), compaction.done()]);
    },
  };
}

/** What the hook of a controller is called: it is finished once the controller has seen what there was. */
export function controllerHook(controller: string): string {
  return `start-${controller}-controller`;
}
export function controllerHooks({ plugins }: Catalog): readonly string[] {
  return plugins.flatMap((plugin) => plugin.controllers ?? []).map(({ name }) => controllerHook(name));
}
export function hooksOf({ plugins }: Catalog): readonly StartHook[] {
  return plugins.flatMap((plugin) => plugin.startHooks ?? []);
}

/** Again after a pause until it is done; what has been done once is not done again under another catalog. */
async function runHook(hook: StartHook, world: ControllerContext, start: StartUp, log: Log, signal: AbortSignal): Promise<void> {
  const isDone = () => start.hook(hook.name).check(signal).then(() => true, () => false);
  for (let pauseMs = 100; !signal.aborted && !(await isDone()); pauseMs = Math.min(pauseMs * 2, 30_000)) {
    try {
      await Promise.race([hook.run(world, signal), untilAborted(signal)]); // a hook that never ends does not keep the server from ending
      if (!signal.aborted) start.finished(hook.name);
    } catch (error) {
      if (!signal.aborted) log.error(`start hook ${hook.name} failed and is tried again`, describe(error));
      await pause(pauseMs, signal);
    }
  }
}

function servesEvents({ names, endpoint }: Catalog): boolean {
  const { group, version } = splitGroupVersion(spell(names, eventsVersion));
  return endpoint(group, version, "events") !== undefined;
}

interface Relay {
  /** `run`, once what ran before has ended; it never rejects. */
  next(run: (signal: AbortSignal) => Promise<void>): void;
  done(): Promise<void>;
}

/** Work that is replaced by other work; `signal` ends it for good. */
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
      if (!signal.aborted) log.error("the rights of controllers cannot be written, and are tried again", describe(error));
    }
    await pause(retryMs, signal);
  }
}

/** Creates the bootstrap objects of newly served resources, with retries. Not awaited. */
async function plantNew(before: Catalog, next: Catalog, api: Api, log: Log, signal: AbortSignal): Promise<void> {
  const known = bootstrapObjectsOf(before);
  const bootstrapObjects = bootstrapObjectsOf(next).filter((seed) => !known.includes(seed));
  while (!signal.aborted) {
    try {
      return await createBootstrapObjects(bootstrapObjects, api);
    } catch (error) {
      if (!signal.aborted) log.error("the first objects of what is new cannot be made, and are tried again", describe(error));
    }
    await pause(retryMs, signal);
  }
}
