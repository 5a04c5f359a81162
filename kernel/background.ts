/** What goes on beside requests while a generation is in force: first objects, controllers of plugins, compaction. */
import type { Api } from "../core/plugin.ts";
import type { WorkMeter } from "../core/work.ts";
import type { Catalog } from "./catalog.ts";
import { runControllers } from "./controllers.ts";
import type { Generation } from "./generation.ts";
import { describe, type Log } from "./log.ts";
import { plantSeeds, seedsOf } from "./seeds.ts";
import { pause } from "./store/clock.ts";
import { startCompactor } from "./store/compactor.ts";
import type { Store } from "./store/store.ts";

export interface Background {
  /** Settled once the objects exist that must. */
  readonly seeded: Promise<void>;
  /** Ends what ran for the generation before, and starts what this one has. */
  follow(next: Generation): void;
  /** Resolves when all has ended, after the signal has aborted. */
  ended(): Promise<void>;
}

export interface BackgroundNeeds {
  readonly store: Store;
  readonly api: Api;
  readonly log: Log;
  /** The meter of a controller's queue, which begins empty. */
  readonly queue: (controller: string) => WorkMeter;
  readonly signal: AbortSignal;
}

const retryMs = 5_000;

export function runBackground(first: Generation, { store, api, log, queue, signal }: BackgroundNeeds): Background {
  const controllers = relay(signal), compaction = relay(signal);
  const seeded = plantSeeds(seedsOf(first.catalog), api);
  let current = first;

  // Controllers read what is served and which gates are on when they begin: under another catalog all of them begin anew.
  const control = ({ catalog }: Generation, before?: Generation) =>
    controllers.next(async (running) => {
      const worldOf = (controller: string) => ({ names: catalog.names, api, gates: catalog.gates.isOn, work: queue(controller) });
      await Promise.all([
        before === undefined ? seeded.catch(() => {}) : plantNew(before.catalog, catalog, api, log, running),
        runControllers(
          catalog.plugins,
          worldOf,
          running,
          (name, error) => log.error(`controller ${name} failed and starts again`, describe(error)),
        ),
      ]);
    });
  const compact = ({ config: { "etcd-compaction-interval": everyMs } }: Generation) =>
    compaction.next(async (running) => {
      if (everyMs === 0) return;
      const onError = (error: unknown) => log.error("compaction failed", describe(error));
      await startCompactor(store, { everyMs, signal: running, onError });
    });
  control(first);
  compact(first);
  return {
    seeded,
    follow(next) {
      const before = current;
      current = next;
      if (next.catalog !== before.catalog) control(next, before);
      if (next.config["etcd-compaction-interval"] !== before.config["etcd-compaction-interval"]) compact(next);
    },
    async ended() {
      await Promise.all([controllers.done(), compaction.done()]);
    },
  };
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

/** Plants the seeds of resources that were not served before, until it is done: nobody waits for it. */
async function plantNew(before: Catalog, next: Catalog, api: Api, log: Log, signal: AbortSignal): Promise<void> {
  const known = seedsOf(before);
  const seeds = seedsOf(next).filter((seed) => !known.includes(seed));
  while (!signal.aborted) {
    try {
      return await plantSeeds(seeds, api);
    } catch (error) {
      if (!signal.aborted) log.error("the first objects of what is new cannot be made, and are tried again", describe(error));
    }
    await pause(retryMs, signal);
  }
}
