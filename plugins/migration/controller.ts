/**
 * Runs StorageVersionMigrations (KEP-4192). It reads every object of the resource and writes it back unchanged, so that the store holds
 * it in the current storage version and encryption. Migrations of one resource run one after the other, in the order of their
 * arrival; migrations of different resources run concurrently. The continue token in the migration records the progress, so that a
 * restarted server continues from there.
 */
import { type Api, type Condition, type Controller, type ControllerContext, runWorkQueue, StatusError } from "../../plugin.ts";
import { type Names, spell, timestampOf, type WorkQueue } from "../../toolbox.ts";
import { alphaFieldsOf, fromStored, toStored, withToken, withVersion } from "./alpha.ts";
import { finishMigrating, hasDefinition, markMigrating } from "./definition.ts";
import { type Collection, rewriteAll } from "./rewrite.ts";
import type { AlphaStorageVersionMigration, StorageVersionMigration } from "./schema.ts";

const beta = "storagemigration.{domain}/v1beta1", alpha = "storagemigration.{domain}/v1alpha1", plural = "storageversionmigrations";
/** Time to wait for a resource to appear in discovery, and the polling interval. */
const absenceMs = 60_000, pollMs = 1000;
const updateAttemptsMax = 5;
/** Resources that are migrated at the same time. */
const resourcesMax = 100;
/** Longest pause before an error is retried, in milliseconds. */
const retryMsMax = 30_000;
/**
 * Time between the condition of the definition and the first list, in milliseconds. Another server may still store objects in the version
 * of an older definition until it has received the newer one.
 */
const settleMs = 2000;

export const migrationController: Controller = migrationControllerWith({ settleMs });

/** The controller. `settleMs`: how long a migration of custom resources waits until all servers have received the definition. */
export function migrationControllerWith(options: { readonly settleMs: number }): Controller {
  return {
    name: "storage-version-migrator",
    serviceAccount: "storage-version-migrator-controller",
    fieldManager: "kube-controller-manager",
    gate: "StorageVersionMigrator",
    needs: [{ resource: plural, groupVersions: [beta, alpha] }],
    run: (context, signal) => runMigrations(context, signal, options.settleMs),
  };
}

async function runMigrations(context: ControllerContext, signal: AbortSignal, settleMs: number): Promise<void> {
  const { api, clock, names } = context;
  const client = migrationClient(api, names);
  /** Unfinished migrations by uid, in the order of their arrival. */
  const pending = new Map<string, StorageVersionMigration>();
  // The queue's keys are resources: each has one running migration. An error is retried from the migration's continue token.
  const work = async (key: string, queue: WorkQueue) => {
    const migration = [...pending.values()].find((each) => keyOf(each) === key);
    if (migration === undefined) return;
    const uid = migration.metadata.uid ?? "";
    const isActive = () => !queue.signal.aborted && pending.has(uid);
    await migrate({ api, names, client, settleMs, now: clock.now, progress: context.progress, isActive, queue }, migration);
    if (queue.signal.aborted) return;
    pending.delete(uid);
    queue.add(key);
  };
  await runWorkQueue({ context, signal, workers: resourcesMax, retry: { maxMs: retryMsMax }, work }, async (queue, until) => {
    for await (const { type, migration } of client.watch(until)) {
      const uid = migration.metadata.uid ?? "";
      if (type === "DELETED" || isFinished(migration)) pending.delete(uid);
      else pending.set(uid, migration);
      queue.add(keyOf(migration));
    }
  });
}

/** A client for migrations. Objects are in the stored form, whichever version is served. */
interface MigrationClient {
  /** Whether a migration must name a version of its resource, as in v1alpha1. */
  readonly requiresVersion: boolean;
  watch(signal: AbortSignal): AsyncIterable<{ readonly type: string; readonly migration: StorageVersionMigration }>;
  get(name: string): Promise<StorageVersionMigration>;
  update(next: StorageVersionMigration, subresource: string): Promise<unknown>;
}

/** A client that uses v1beta1 if it is served, else v1alpha1. */
function migrationClient(api: Api, names: Names): MigrationClient {
  const served = (each: string) =>
    api.collections("watch").some(({ resource, groupVersion }) => resource === plural && groupVersion === spell(names, each));
  const isAlpha = !served(beta) && served(alpha);
  const groupVersion = isAlpha ? alpha : beta;
  // `as`: the API returns objects of the requested version.
  const read = (object: unknown) => isAlpha ? toStored(object as AlphaStorageVersionMigration) : object as StorageVersionMigration;
  return {
    requiresVersion: isAlpha,
    async *watch(signal) {
      for await (const { type, object } of api.watch(groupVersion, plural, "", {}, signal)) yield { type, migration: read(object) };
    },
    get: async (name) => read(await api.get(groupVersion, plural, "", name)),
    update: (next, subresource) =>
      api.update(
        groupVersion,
        plural,
        "",
        next.metadata.name ?? "",
        isAlpha ? fromStored(next) : next,
        subresource === "" ? {} : { subresource },
      ),
  };
}

function keyOf({ spec: { resource: { group, resource } } }: StorageVersionMigration): string {
  return group === "" ? resource : `${resource}.${group}`;
}
function isFinished({ status }: StorageVersionMigration): boolean {
  return (status.conditions ?? []).some(({ type, status }) => (type === "Succeeded" || type === "Failed") && status === "True");
}

function isRunning({ status }: StorageVersionMigration): boolean {
  return (status.conditions ?? []).some(({ type, status }) => type === "Running" && status === "True");
}

/** What the run of one migration needs. */
interface Migrating {
  readonly api: Api;
  readonly names: Names;
  readonly client: MigrationClient;
  readonly settleMs: number;
  readonly progress: ControllerContext["progress"];
  /** False once the migration is deleted or the controller ends. */
  readonly isActive: () => boolean;
  readonly now: () => number;
  readonly queue: WorkQueue;
}

async function migrate(run: Migrating, migration: StorageVersionMigration): Promise<void> {
  const { api, names, client, isActive, now, queue } = run;
  // The watch event may be older than the end of the migration.
  const current = await readUnfinished(client, migration);
  if (current === undefined) return;
  const { resource } = migration.spec;
  // A continued migration keeps its mark: objects may have been written for an older generation of the definition.
  const isCustom = isRunning(current)
    ? await hasDefinition(api, names, resource)
    : await markMigrating(api, names, resource, now(), migration.metadata.name ?? "");
  await updateStatus(client, migration, {
    conditions: [condition(now(), "Running", "True", "MigrationRunning", "The migration is running")],
  });
  if (isCustom) await queue.pause(run.settleMs);
  const found = await collectionOf(api, migration, isActive, queue);
  if (!isActive()) return;
  const problem = typeof found === "string" ? undefined : await rewriteAndReport(run, migration, found);
  if (!isActive()) return;
  const why = typeof found === "string" ? found : problem && `migration encountered unhandled error: ${problem}`;
  const outcome = why === undefined
    ? condition(now(), "Succeeded", "True", "StorageVersionMigrationSucceeded", "")
    : condition(now(), "Failed", "True", "StorageVersionMigrationFailed", why);
  if (isCustom) await finishMigrating(api, names, resource, now(), why === undefined);
  await updateStatus(client, migration, {
    conditions: [condition(now(), "Running", "False", "MigrationCompleted", "Migration completed"), outcome],
  });
}

/** As `rewriteAll`, from the migration's continue token on. */
async function rewriteAndReport(run: Migrating, migration: StorageVersionMigration, collection: Collection): Promise<string | undefined> {
  const { api, client, isActive } = run;
  const progress = run.progress(`migrating ${keyOf(migration)}`);
  try {
    return await rewriteAll(api, collection, {
      token: alphaFieldsOf(migration).continueToken,
      onList: (resourceVersion) => updateStatus(client, migration, { resourceVersion }),
      onWritten: (left) => progress.done(1, left),
      onProgress: (token) => saveToken(client, migration, token, versionOf(collection)),
      isActive,
    });
  } finally {
    progress.end();
  }
}

/** Waits for the migration's collection to be served. Resolves with the failure message if it is not, or lacks a verb. */
async function collectionOf(
  api: Api,
  migration: StorageVersionMigration,
  isActive: () => boolean,
  queue: WorkQueue,
): Promise<Collection | string> {
  const { group, resource } = migration.spec.resource;
  const among = (verb: string) => api.collections(verb).find((each) => each.resource === resource && groupOf(each.groupVersion) === group);
  for (let waitedMs = 0; isActive(); waitedMs += pollMs) {
    const known = ["list", "get", "create"].map(among).find((each) => each !== undefined);
    if (known !== undefined) {
      const needed = ["update", "patch", "list"];
      if (needed.every((verb) => among(verb) !== undefined)) return known;
      // Upstream's message lists all needed verbs, and the core group as an empty one.
      const { groupVersion } = known;
      const shown = groupVersion.includes("/") ? groupVersion : `/${groupVersion}`;
      return `resource "${shown}, Resource=${resource}" does not support discovery operations: [${needed.join(" ")}]`;
    }
    if (waitedMs >= absenceMs) break;
    await queue.pause(pollMs);
  }
  return "resource does not exist in discovery";
}
function versionOf({ groupVersion }: Collection): string {
  return groupVersion.slice(groupVersion.lastIndexOf("/") + 1);
}
function groupOf(groupVersion: string): string {
  return groupVersion.includes("/") ? groupVersion.slice(0, groupVersion.indexOf("/")) : "";
}

type Status = StorageVersionMigration["status"];

function condition(now: number, type: string, status: string, reason: string, message: string): Condition {
  return { type, status, lastTransitionTime: timestampOf(now), reason, message };
}

/** The current state of a migration; undefined if it is deleted or finished. */
async function readUnfinished(
  client: MigrationClient,
  { metadata: { name = "", uid } }: StorageVersionMigration,
): Promise<StorageVersionMigration | undefined> {
  try {
    const current = await client.get(name);
    return current.metadata.uid === uid && !isFinished(current) ? current : undefined;
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

/** Merges `changes` into the status and writes it if it differs. False if the migration is deleted or finished. */
function updateStatus(client: MigrationClient, migration: StorageVersionMigration, changes: Status): Promise<boolean> {
  return update(client, migration, "status", (now) => {
    const status = mergedStatus(now.status, changes);
    return status && { ...now, status };
  });
}

/** Writes the continue token, and `version` if the migration requires a version and has none. False as in `update`. */
function saveToken(client: MigrationClient, migration: StorageVersionMigration, token: string, version: string): Promise<boolean> {
  return update(client, migration, "", (now) => {
    const next = withToken(now, token);
    return client.requiresVersion ? withVersion(next, version) : next;
  });
}

/** Writes the result of `make` (undefined: no change) and retries conflicts. False if the migration is deleted or finished. */
async function update(
  client: MigrationClient,
  { metadata: { name = "", uid } }: StorageVersionMigration,
  subresource: string,
  make: (now: StorageVersionMigration) => StorageVersionMigration | undefined,
): Promise<boolean> {
  for (let attempt = 1;; attempt++) {
    try {
      const now = await client.get(name);
      if (now.metadata.uid !== uid || isFinished(now)) return false;
      const next = make(now);
      if (next !== undefined) await client.update(next, subresource);
      return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason === "NotFound") return false;
      if (error.reason !== "Conflict" || attempt >= updateAttemptsMax) throw error;
    }
  }
}

/** Merges conditions by type, and sets the resourceVersion if it is not set. Undefined if nothing changes. */
function mergedStatus(status: Status, { conditions = [], resourceVersion }: Status): Status | undefined {
  const before = status.conditions ?? [];
  const changed = conditions.filter((each) => !before.some(({ type, status }) => type === each.type && status === each.status));
  const setsVersion = resourceVersion !== undefined && (status.resourceVersion ?? "") === "";
  if (changed.length === 0 && !setsVersion) return undefined;
  const kept = before.map((each) => changed.find(({ type }) => type === each.type) ?? each);
  const added = changed.filter(({ type }) => !before.some((each) => each.type === type));
  return {
    conditions: [...kept, ...added],
    ...(setsVersion ? { resourceVersion } : status.resourceVersion && { resourceVersion: status.resourceVersion }),
  };
}
