/** Bootstrap objects: objects that exist after the start. */
import { reasonOf } from "../../core/reason-of.ts";
import { type Clock, pause, systemClock } from "../../core/async.ts";
import { spell } from "../../core/names.ts";
import type { Api } from "../../core/api.ts";
import type { Plugin } from "../../core/plugin.ts";
import { StatusError } from "../../core/status-error.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { type Catalog } from "../../kernel/catalog/catalog.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";

export type BootstrapObject = NonNullable<Plugin["bootstrapObjects"]>[number];

/** The bootstrap objects of served resources, in order. */
export function bootstrapObjectsOf({ plugins, names, endpoint }: Catalog): readonly BootstrapObject[] {
  return plugins.flatMap(({ bootstrapObjects = [] }) => bootstrapObjects).filter(({ groupVersion, resource }) => {
    const { group, version } = splitGroupVersion(spell(names, groupVersion));
    return endpoint(group, version, resource) !== undefined;
  });
}

/** Creates the bootstrap objects of a server. */
export interface Bootstrapper {
  /**
   * Creates every absent one of these objects, in order; those of an earlier call are no longer wanted. Another replica may do the same
   * concurrently. An object that cannot be created keeps no other from being created: it is logged by name and tried again.
   *
   * @returns rejects after an attempt at each, with an AggregateError that names those that cannot be created
   */
  create(objects: readonly BootstrapObject[]): Promise<void>;
  /** Resolves when all wanted objects exist for the first time, after the first call of `create`. Stays pending after an abort. */
  readonly created: Promise<void>;
}

interface Failure {
  readonly text: string;
  readonly error: unknown;
}

/** Milliseconds between attempts at objects that cannot be created. */
const retryMs = 5_000;

export function bootstrapper(
  { api, log, signal, isServed = () => true, clock = systemClock }: {
    readonly api: Api;
    readonly log: Pick<Log, "error">;
    readonly signal: AbortSignal;
    /** Whether the resource of an object is served now: a reload may have ended it since `create`. Default: always. */
    readonly isServed?: (object: BootstrapObject) => boolean;
    readonly clock?: Clock;
  },
): Bootstrapper {
  const done = new Set<BootstrapObject>(), created = Promise.withResolvers<void>();
  /** Errors that are logged already. */
  const logged = new Map<BootstrapObject, string>();
  let wanted: readonly BootstrapObject[] = [], passing = Promise.resolve(), isRetrying = false;

  const pass = async (): Promise<readonly Failure[]> => {
    const failures: Failure[] = [];
    for (const object of wanted) {
      if (signal.aborted) return failures;
      if (done.has(object)) continue;
      try {
        await createAbsent(object, api);
        done.add(object);
      } catch (error) {
        if (!isServed(object)) continue;
        const text = reasonOf(error),
          what = `the bootstrap object ${nameOf(object)} cannot be created`;
        failures.push({ text: `${what}: ${text}`, error });
        if (logged.get(object) !== text) {
          log.error(`${what}; it is tried again, the others are not affected`, describe(error));
        }
        logged.set(object, text);
      }
    }
    if (failures.length === 0) created.resolve();
    else void retry();
    return failures;
  };
  // One pass after the other.
  const next = () => {
    const found = passing.then(pass);
    passing = found.then(() => {});
    return found;
  };
  const retry = async () => {
    if (isRetrying) return;
    isRetrying = true;
    await pause(retryMs, signal, clock);
    isRetrying = false;
    if (!signal.aborted) await next();
  };
  return {
    async create(objects) {
      wanted = objects;
      const failures = await next();
      if (failures.length > 0) throw new AggregateError(failures.map(({ error }) => error), failures.map(({ text }) => text).join("; "));
    },
    created: created.promise,
  };
}

/** Creates an object unless it exists. */
async function createAbsent(seed: BootstrapObject, api: Api): Promise<void> {
  try {
    await api.create(seed.groupVersion, seed.resource, seed.namespace ?? "", seed.object);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason !== "AlreadyExists" && !(await exists(seed, api))) throw error;
  }
}

/**
 * Whether the object is there. Admission looks at a create before the store finds the name in use: a webhook that cannot be called must not
 * prevent the next start, without which it cannot be removed.
 */
async function exists(seed: BootstrapObject, api: Api): Promise<boolean> {
  const { groupVersion, resource, namespace = "" } = seed;
  try {
    await api.get(groupVersion, resource, namespace, plainName(seed));
    return true;
  } catch {
    return false; // the error of the create is reported
  }
}

function nameOf(seed: BootstrapObject): string {
  const { groupVersion, resource, namespace = "" } = seed;
  return `${namespace === "" ? "" : `${namespace}/`}${plainName(seed)} (${resource} of ${groupVersion})`;
}
function plainName({ object }: BootstrapObject): string {
  return (object as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata?.name ?? ""; // an object of the API
}
