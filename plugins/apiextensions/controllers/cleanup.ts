/**
 * Deletes the objects of definitions that are being deleted, then removes their finalizer (upstream: apiextensions-apiserver
 * `controller/finalizer`).
 */
import { type Api, type ApiObject, type Controller, runWorkQueue, StatusError } from "../../../plugin.ts";
import { listed, type ServerClock, spell, timestampOf, type WorkQueue } from "../../../toolbox.ts";
import { type ConditionNews, isTrue, withCondition } from "../condition.ts";
import {
  deletionCompleted,
  deletionFailed,
  deletionInProgress,
  deletionUnconfirmed,
  neverEstablished,
  overlapsBuiltIn,
} from "../conditions/terminating.ts";
import { cleanupFinalizer } from "../definitions.ts";
import { type CustomResourceDefinition, groupVersion } from "../schema.ts";
import { resource, withConditions } from "./definitions.ts";

/** Milliseconds between two checks of objects that have finalizers of their own, and the longest wait for their deletion. */
const lookEveryMs = 500, waitMsMax = 60_000;

export const cleanup: Controller = {
  name: "custom-resource-cleanup",
  isRequired: true,
  fieldManager: "kube-apiserver",
  needs: [{ resource, groupVersions: [groupVersion] }],
  async run(context, signal) {
    const { api, clock, names, isDeclared } = context;
    const finalizer = spell(names, cleanupFinalizer);
    const work = (name: string, queue: WorkQueue) => clean({ api, clock, finalizer, isDeclared, queue }, name, signal);
    await runWorkQueue({ context, signal, work, workers: 4 }, async (queue, until) => {
      for await (const { type, object } of api.watch(groupVersion, resource, "", {}, until, "owned")) {
        if (type !== "DELETED" && isDue(object, finalizer)) queue.add(object.metadata.name ?? "");
      }
    });
  },
};

function isDue({ metadata: { deletionTimestamp, finalizers = [] } }: ApiObject, finalizer: string): boolean {
  return (deletionTimestamp ?? null) !== null && finalizers.includes(finalizer);
}

interface Cleaner {
  readonly api: Api;
  readonly finalizer: string;
  readonly isDeclared: (group: string, plural: string) => boolean;
  readonly clock: ServerClock;
  readonly queue: WorkQueue;
}

/**
 * Deletes the objects of one definition, unless they belong to a kind of a plugin. Rejects if some objects remain, so that the queue
 * retries.
 */
async function clean(
  cleaner: Cleaner,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { api, finalizer, isDeclared } = cleaner;
  try {
    const found = withConditions(await api.get(groupVersion, resource, "", name));
    if (!isDue(found, finalizer)) return;
    const started = await update(cleaner, found, deletionInProgress);
    const { group, names: { plural } } = started.spec;
    const outcome = isDeclared(group, plural)
      ? { news: overlapsBuiltIn }
      : isTrue(started.status.conditions, "Established")
      ? await deleteObjects(cleaner, started, signal)
      : { news: neverEstablished };
    if ("error" in outcome) {
      await update(cleaner, started, outcome.news);
      throw outcome.error;
    }
    const { finalizers = [] } = started.metadata;
    await update(
      cleaner,
      { ...started, metadata: { ...started.metadata, finalizers: finalizers.filter((each) => each !== finalizer) } },
      outcome.news,
    );
  } catch (error) {
    // If the definition was changed, its event queues it again. If it was deleted, it needs no update.
    if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "NotFound")) throw error;
  }
}

async function update(
  { api, clock }: Cleaner,
  definition: CustomResourceDefinition,
  news: ConditionNews,
): Promise<CustomResourceDefinition> {
  const status = { ...definition.status, conditions: withCondition(definition.status.conditions ?? [], news, timestampOf(clock.now())) };
  const next = { ...definition, status };
  return withConditions(await api.update(groupVersion, resource, "", definition.metadata.name ?? "", next, { subresource: "status" }));
}

/**
 * Deletes the objects through the version in which they are stored, served or not. Objects of this version need no conversion. The objects
 * of a definition without a served version are also deleted; otherwise they would appear again with the next definition of this name.
 */
async function deleteObjects(
  { api, queue }: Cleaner,
  { spec, status }: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<{ readonly news: ConditionNews } | { readonly news: ConditionNews; readonly error: unknown }> {
  const plural = status.acceptedNames?.plural ?? spec.names.plural;
  const stored = spec.versions.find(({ storage }) => storage) ?? spec.versions[0]!; // exactly one version is stored, which has been checked
  const version = `${spec.group}/${stored.name}`;
  try {
    const namespaces = new Set<string>();
    for await (const { metadata } of listed(api, version, plural, "")) namespaces.add(metadata.namespace ?? "");
    for (const namespace of namespaces) await api.deleteCollection(version, plural, namespace);
  } catch (error) {
    return { news: deletionFailed(`could not issue all deletes: ${textOf(error)}`), error };
  }
  for (let waited = 0; waited < waitMsMax && !signal.aborted; waited += lookEveryMs) {
    if ((await api.list(version, plural, "", { limit: "1" })).items.length === 0) return { news: deletionCompleted };
    await queue.pause(lookEveryMs);
  }
  const error = new Error("timed out waiting for the condition");
  return { news: deletionUnconfirmed(error.message), error };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
