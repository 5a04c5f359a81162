/** Opens a server in process, with a store in memory that can be copied. */
import { afterCollecting, type ServerClock, systemClock } from "../core/async.ts";
import { bound } from "../core/bound.ts";
import type { Plugin } from "../core/plugin.ts";
import type { CacheContents } from "../kernel/cache/mod.ts";
import { jsonLog, type Log, verbosityOf } from "../kernel/observe/log.ts";
import type { Engine } from "../kernel/store/sqlite/calls.ts";
import type { ActiveConfig } from "../server/config/active-config.ts";
import { type PluginSettings, withDefaults } from "../server/config/parse.ts";
import type { PlainSettings } from "../server/config/plain-settings.ts";
import { openServer } from "../server/startup/open-server.ts";
import type { InsteadParts } from "../server/startup/serve-options.ts";
import type { Server } from "../kernel/server.ts";
import { turn } from "./clock.ts";
import type { ListenerCredentials } from "./listeners.ts";
import { MemoryEngine } from "./state/memory-engine.ts";

/** Milliseconds that a start waits for the resources of all sources. */
const completeMsMax = bound(2_000);
/** Milliseconds after which the controllers of a fork start. */
const restMs = bound(5);

/** Parts of a test server that have defaults. */
export interface MoreParts {
  readonly ofPlugins?: PluginSettings | undefined;
  readonly clock?: ServerClock | undefined;
  readonly engine?: Engine;
  /** Puts something around the store. */
  readonly storeOver?: InsteadParts["storeOver"];
  /** What the cache has at the start. */
  readonly begun?: CacheContents | undefined;
  /** Whether the controllers have nothing to make before the first request, because they go on with the work of others. */
  readonly goesOn?: boolean;
  /** The compiled settings and plugins, with the resources that have appeared. */
  readonly active?: ActiveConfig | undefined;
  /** Default: one that is kept in memory. */
  readonly log?: Log | undefined;
  /** The certificates that the server publishes and signs with. Absent for one that may never listen. */
  readonly authorities?: (() => Promise<ListenerCredentials>) | undefined;
}

/** Opens the server. Resolves when it can be used; `close` ends it. */
export async function openInMemory(
  plugins: readonly Plugin[],
  settings: Omit<PlainSettings, "data-dir">,
  logged: string[],
  { ofPlugins, clock, engine = new MemoryEngine(), begun, goesOn = false, active, storeOver, log: given, authorities }: MoreParts = {},
) {
  const config = active?.config ?? withDefaults({ ...settings, "data-dir": ":memory:" }, plugins, ofPlugins);
  const log = given ?? jsonLog((line) => logged.push(line), Date.now, verbosityOf(config.v, config.vmodule, []));
  const own = authorities?.(), rested = Promise.withResolvers<void>();
  const opened = await openServer({
    config,
    plugins,
    ...(active === undefined ? {} : { active }),
    ...(own === undefined ? {} : { ownCa: own.then(({ ownCa }) => ownCa), authority: own.then(({ pki }) => () => pki.ca) }),
    instead: {
      ...(clock === undefined ? {} : { clock }),
      ...(begun === undefined ? {} : { begun }),
      ...(goesOn ? { mayStart: rested.promise } : {}),
      ...(storeOver === undefined ? {} : { storeOver }),
      sqlite: { memory: engine },
    },
    log,
  });
  await opened.bootstrapped.catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  await (goesOn ? opened.authorizersReady : opened.started);
  await untilComplete(opened.server);
  // The first requests of a fork come first, and are all that many tests send.
  if (goesOn) afterCollecting(restMs, rested.resolve, clock ?? systemClock);
  const close = () => {
    opened.drain();
    return opened.close();
  };
  return { opened, log, close };
}

/** Waits, for a bounded time, until the server knows the resources of all sources: before that, a group that it lacks may become known. */
async function untilComplete({ isComplete }: Server): Promise<void> {
  for (const until = systemClock.elapsed() + completeMsMax; !isComplete() && systemClock.elapsed() < until;) await turn();
}
