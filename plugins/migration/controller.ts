/**
 * Does what migrations ask for: every object of the resource is read and written back as it is, so that the store holds it
 * in the version (and with the key) that is used now. Migrations of one resource wait for each other, in the order in which
 * they came; different resources go on side by side. How far a migration is stands in its continue token, from which the
 * next run of the server goes on.
 */
import { pause } from "../../core/async.ts";
import type { Condition } from "../../core/meta/condition.ts";
import { type Names, spell } from "../../core/names.ts";
import type { Api, Controller, ControllerContext } from "../../core/plugin.ts";
import { worked } from "../../core/work.ts";
import { StatusError } from "../../core/status-error.ts";
import { fromStored, keptOf, toStored, withToken, withVersion } from "./alpha.ts";
import { type Collection, rewriteAll } from "./rewrite.ts";
import type { AlphaStorageVersionMigration, StorageVersionMigration } from "./schema.ts";

const beta = "storagemigration.{domain}/v1beta1", alpha = "storagemigration.{domain}/v1alpha1", plural = "storageversionmigrations";
/** How long a resource may take to appear, and how often it is looked for. */
const absenceMs = 60_000, lookMs = 1000;
const changeTries = 5;

export const migrationController: Controller = {
  name: "storage-version-migrator",
  gate: "StorageVersionMigrator",
  needs: [{ resource: plural, groupVersions: [beta, alpha] }],
  async run(world, signal) {
    // A task that fails ends the watch too, so that all begin again together.
    const failed = new AbortController(), errors: unknown[] = [];
    const work = new Work(world, AbortSignal.any([signal, failed.signal]), (error) => {
      errors.push(error);
      failed.abort();
    });
    try {
      await work.follow();
    } finally {
      failed.abort();
      await work.settled();
    }
    if (errors.length > 0) throw errors[0];
  },
};

/** Migrations in the stored form, whichever of their versions is served. */
interface Migrations {
  /** Whether each migration has to name a version of its resource, as v1alpha1 demands. */
  readonly requiresVersion: boolean;
  watch(signal: AbortSignal): AsyncIterable<{ readonly type: string; readonly migration: StorageVersionMigration }>;
  get(name: string): Promise<StorageVersionMigration>;
  update(next: StorageVersionMigration, subresource: string): Promise<unknown>;
}

/** Migrations over the API: by v1beta1 where it is served, else by v1alpha1. */
function migrationsOf(api: Api, names: Names): Migrations {
  const served = (each: string) =>
    api.collections("watch").some(({ resource, groupVersion }) => resource === plural && groupVersion === spell(names, each));
  const isAlpha = !served(beta) && served(alpha);
  const groupVersion = isAlpha ? alpha : beta;
  // The API answers this resource with objects of this version.
  const read = (object: unknown) => isAlpha ? toStored(object as AlphaStorageVersionMigration) : object as StorageVersionMigration;
  return {
    requiresVersion: isAlpha,
    async *watch(signal) {
      for await (const { type, object } of api.watch(groupVersion, plural, "", {}, signal)) yield { type, migration: read(object) };
    },
    get: async (name) => read(await api.get(groupVersion, plural, "", name)),
    update: (next, subresource) =>
      api.update(groupVersion, plural, "", next.metadata.name ?? "", isAlpha ? fromStored(next) : next, subresource),
  };
}

/** The migrations that are known, and one task for each resource that has one to do. */
class Work {
  readonly #known = new Map<string, StorageVersionMigration>();
  readonly #tasks = new Map<string, Promise<void>>();
  readonly #world: ControllerContext;
  readonly #migrations: Migrations;
  readonly #signal: AbortSignal;
  readonly #fail: (error: unknown) => void;

  constructor(world: ControllerContext, signal: AbortSignal, fail: (error: unknown) => void) {
    this.#world = world;
    this.#migrations = migrationsOf(world.api, world.names);
    this.#signal = signal;
    this.#fail = fail;
  }

  async follow(): Promise<void> {
    for await (const { type, migration } of this.#migrations.watch(this.#signal)) {
      const uid = migration.metadata.uid ?? "";
      if (type === "DELETED" || isOver(migration)) this.#known.delete(uid);
      else this.#known.set(uid, migration);
      this.#start();
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#tasks.values());
  }

  #start(): void {
    for (const migration of this.#known.values()) {
      const key = keyOf(migration);
      if (this.#tasks.has(key) || this.#signal.aborted) continue;
      const task = worked(
        this.#world.work,
        migration.metadata.name ?? "",
        () => migrate(this.#world.api, this.#migrations, migration, () => this.#isWanted(migration), this.#signal),
      )
        .then(() => {
          this.#known.delete(migration.metadata.uid ?? "");
          this.#tasks.delete(key);
          this.#start();
        })
        .catch((error) => this.#fail(error));
      this.#tasks.set(key, task);
    }
  }

  #isWanted({ metadata }: StorageVersionMigration): boolean {
    return !this.#signal.aborted && this.#known.has(metadata.uid ?? "");
  }
}

function keyOf({ spec: { resource: { group, resource } } }: StorageVersionMigration): string {
  return group === "" ? resource : `${resource}.${group}`;
}
function isOver({ status }: StorageVersionMigration): boolean {
  return (status.conditions ?? []).some(({ type, status }) => (type === "Succeeded" || type === "Failed") && status === "True");
}

async function migrate(
  api: Api,
  migrations: Migrations,
  migration: StorageVersionMigration,
  isWanted: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const goesOn = await report(migrations, migration, {
    conditions: [finding("Running", "True", "MigrationRunning", "The migration is running")],
  });
  // The watch may tell of what was so before it was done.
  if (!goesOn) return;
  const found = await collectionOf(api, migration, isWanted, signal);
  if (!isWanted()) return;
  const problem = typeof found === "string" ? undefined : await rewriteAll(api, found, {
    token: keptOf(migration).continueToken,
    begun: (resourceVersion) => report(migrations, migration, { resourceVersion }),
    passed: (token) => remember(migrations, migration, token, versionOf(found)),
    isWanted,
  });
  if (!isWanted()) return;
  const why = typeof found === "string" ? found : problem && `migration encountered unhandled error: ${problem}`;
  const outcome = why === undefined
    ? finding("Succeeded", "True", "StorageVersionMigrationSucceeded", "")
    : finding("Failed", "True", "StorageVersionMigrationFailed", why);
  await report(migrations, migration, { conditions: [finding("Running", "False", "MigrationCompleted", "Migration completed"), outcome] });
}

/** The collection that is meant, once it is there, or why there is none to be had. */
async function collectionOf(
  api: Api,
  migration: StorageVersionMigration,
  isWanted: () => boolean,
  signal: AbortSignal,
): Promise<Collection | string> {
  const { group, resource } = migration.spec.resource;
  const among = (verb: string) => api.collections(verb).find((each) => each.resource === resource && groupOf(each.groupVersion) === group);
  for (let waitedMs = 0; isWanted(); waitedMs += lookMs) {
    const known = ["list", "get", "create"].map(among).find((each) => each !== undefined);
    if (known !== undefined) {
      const needed = ["update", "patch", "list"];
      if (needed.every((verb) => among(verb) !== undefined)) return known;
      // All that is needed is named, whichever of it is lacking; the core group is the empty one.
      const { groupVersion } = known;
      const shown = groupVersion.includes("/") ? groupVersion : `/${groupVersion}`;
      return `resource "${shown}, Resource=${resource}" does not support discovery operations: [${needed.join(" ")}]`;
    }
    if (waitedMs >= absenceMs) break;
    await pause(lookMs, signal);
  }
  return "resource does not exist in discovery";
}
function versionOf({ groupVersion }: Collection): string {
  return groupVersion.slice(groupVersion.lastIndexOf("/") + 1);
}
function groupOf(written: string): string {
  return written.includes("/") ? written.slice(0, written.indexOf("/")) : "";
}

type Status = StorageVersionMigration["status"];

function finding(type: string, status: string, reason: string, message: string): Condition {
  return { type, status, lastTransitionTime: `${new Date().toISOString().slice(0, 19)}Z`, reason, message };
}

/** Writes into the status what is new in it. False where there is nothing to report to: the migration is gone, or over. */
function report(migrations: Migrations, migration: StorageVersionMigration, news: Status): Promise<boolean> {
  return change(migrations, migration, "status", (now) => {
    const status = merged(now.status, news);
    return status && { ...now, status };
  });
}

/** Keeps where the list goes on, and `version` with it where the migration has none and must have one. */
function remember(migrations: Migrations, migration: StorageVersionMigration, token: string, version: string): Promise<boolean> {
  return change(migrations, migration, "", (now) => {
    const next = withToken(now, token);
    return migrations.requiresVersion ? withVersion(next, version) : next;
  });
}

/** Writes what `make` gives, again on top of what others wrote. False where the migration is gone, or over. */
async function change(
  migrations: Migrations,
  { metadata: { name = "", uid } }: StorageVersionMigration,
  subresource: string,
  make: (now: StorageVersionMigration) => StorageVersionMigration | undefined,
): Promise<boolean> {
  for (let tries = 1;; tries++) {
    try {
      const now = await migrations.get(name);
      if (now.metadata.uid !== uid || isOver(now)) return false;
      const next = make(now);
      if (next !== undefined) await migrations.update(next, subresource);
      return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason === "NotFound") return false;
      if (error.reason !== "Conflict" || tries >= changeTries) throw error;
    }
  }
}

/** The status with the news; undefined when they are none. A version that is set stays. */
function merged(status: Status, { conditions = [], resourceVersion }: Status): Status | undefined {
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
