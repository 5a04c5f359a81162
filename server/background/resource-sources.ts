/** Follows the resource sources of plugins: resources that appear, change and disappear while the server runs. */
import { pause, systemClock } from "../../core/async.ts";
import type { Api } from "../../core/api.ts";
import type { Plugin, ResourceSource } from "../../core/plugin.ts";
import type { StartUp } from "../../health/mod.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { type ActiveConfig, type Unusable, withAppeared } from "../config/active-config.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import { isServed } from "./controllers.ts";

export interface SourceNeeds {
  readonly current: () => ActiveConfig;
  readonly swap: (next: ActiveConfig) => void;
  /** Calls the listener after each swap. */
  readonly onSwap: (listener: () => void) => void;
  readonly api: Api;
  readonly start: StartUp;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const retryMsMin = 100, retryMsMax = 30_000;

/** The start hooks of the sources, in the order of plugins. */
export function sourceHooks({ plugins }: Catalog): readonly string[] {
  return plugins.flatMap(({ resourceSource }) => resourceSource === undefined ? [] : [resourceSource.hook]);
}

/** Follows the sources of the active plugins. Resolves when all have ended, after the signal has aborted. */
export async function followSources(needs: SourceNeeds): Promise<void> {
  const running = new Map<string, { readonly source: ResourceSource; readonly stop: AbortController; readonly done: Promise<void> }>();
  const adopt = () => {
    const { plugins, catalog } = needs.current();
    const wanted = new Map(plugins.flatMap((plugin) => isWanted(plugin, catalog) ? [[plugin.name, plugin.resourceSource]] : []));
    for (const [name, { source, stop }] of running) {
      if (wanted.get(name) === source) continue;
      stop.abort();
      running.delete(name);
    }
    for (const { resourceSource } of plugins) {
      // A source that does not run does not delay health checks.
      if (resourceSource !== undefined && ![...wanted.values()].includes(resourceSource)) needs.start.finished(resourceSource.hook);
    }
    for (const [name, source] of wanted) {
      if (running.has(name)) continue;
      const stop = new AbortController();
      running.set(name, { source, stop, done: followOne(name, source, needs, AbortSignal.any([needs.signal, stop.signal])) });
    }
  };
  adopt();
  needs.onSwap(adopt);
  const ended = Promise.withResolvers<void>();
  if (needs.signal.aborted) ended.resolve();
  else needs.signal.addEventListener("abort", () => ended.resolve(), { once: true });
  await ended.promise;
  await Promise.all([...running.values()].map(({ done }) => done));
}

function isWanted(plugin: Plugin, catalog: Catalog): plugin is Plugin & { readonly resourceSource: ResourceSource } {
  const { resourceSource } = plugin;
  return resourceSource !== undefined && (resourceSource.needs ?? []).every((need) => isServed(catalog, need));
}

/** Activates each set of descriptions. Restarts the source after an error. Never rejects. */
async function followOne(plugin: string, source: ResourceSource, needs: SourceNeeds, signal: AbortSignal): Promise<void> {
  const { current, swap, api, start, log } = needs;
  const failed = (name: string, error: unknown) =>
    log.error(`${name} of plugin ${plugin} cannot be served as it is; the others go on`, describe(error));
  /** The descriptions that were reported, by name. They are reported again when their error changes. */
  let reported = new Map<string, string>();
  const reportAll = (unusable: readonly Unusable[]) => {
    const texts = new Map(unusable.map(({ name, error }) => [name, String(error)]));
    for (const { name, error } of unusable) if (reported.get(name) !== texts.get(name)) failed(name, error);
    reported = texts;
  };
  for (let pauseMs = retryMsMin; !signal.aborted; pauseMs = Math.min(pauseMs * 2, retryMsMax)) {
    try {
      for await (const descriptions of source.follow({ names: current().catalog.names, api, failed }, signal)) {
        if (signal.aborted) break;
        swap(withAppeared(current(), plugin, descriptions));
        reportAll(current().unusable);
        start.finished(source.hook);
        pauseMs = retryMsMin;
      }
    } catch (error) {
      if (!signal.aborted) log.error(`the resources of plugin ${plugin} cannot be followed; the source is restarted`, describe(error));
    }
    await pause(pauseMs, signal, systemClock);
  }
}
