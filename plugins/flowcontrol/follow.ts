/** Follows flow schemas and priority levels. */
import type { Api } from "../../plugin.ts";
import { type Names, pause, spell } from "../../toolbox.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import type { PriorityLevelConfiguration } from "./priority-level-schema.ts";
import { groupVersion } from "./schema.ts";

/** Milliseconds in which changes are collected. */
const gatherMs = 50;
/** Milliseconds after which a broken watch begins anew. */
const retryMs = 5000;

interface Following {
  readonly api: Api;
  readonly names: Names;
  readonly signal: AbortSignal;
  readonly logError: (sentence: string, error?: unknown) => void;
}
type Changed = (schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[]) => void;

/** Calls `changed` with all objects, at first when both kinds are known. Works until the signal aborts; not if the kinds are not served. */
export async function followConfigured(following: Following, changed: Changed): Promise<void> {
  const { api, names, signal } = following, home = spell(names, groupVersion);
  const isServed = (resource: string) => api.collections("watch").some((each) => each.groupVersion === home && each.resource === resource);
  if (!isServed("flowschemas") || !isServed("prioritylevelconfigurations")) return;
  const schemas = new Map<string, FlowSchema>(), levels = new Map<string, PriorityLevelConfiguration>();
  const known = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    if (known.size < 2) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted) changed([...schemas.values()], [...levels.values()]);
    }, gatherMs);
  };
  const synced = (resource: string) => () => {
    known.add(resource);
    soon();
  };
  await Promise.all([
    followKind(following, "flowschemas", schemas, soon, synced("flowschemas")),
    followKind(following, "prioritylevelconfigurations", levels, soon, synced("prioritylevelconfigurations")),
  ]);
  clearTimeout(timer);
}

async function followKind<T>(
  { api, signal, logError }: Following,
  resource: string,
  known: Map<string, T>,
  changed: () => void,
  synced: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { type, object } of api.watch(groupVersion, resource, "", {}, signal, undefined, synced)) {
        const { name = "" } = object.metadata;
        if (type === "DELETED") known.delete(name);
        else known.set(name, object as T); // the watch is of this resource
        changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      logError(`the watch of ${resource} has failed; it begins anew`, error);
      await pause(retryMs, signal);
    }
  }
}
