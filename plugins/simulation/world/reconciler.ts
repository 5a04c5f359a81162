/** What brings the objects of one kind to their wanted state, and how it is run. */
import { StatusError } from "../../../plugin.ts";
import { WorkQueue } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { World } from "./world.ts";

/** Keys of one reconciler that are worked on at the same time. */
const reconcilersAtOnceMax = bound(16);

/** Adds a key, at once or after milliseconds. */
export type AddKey = (key: string, afterMs?: number) => void;

/** Brings objects to their wanted state, one at a time by its key. */
export interface Reconciler {
  /** The name, in the log. */
  readonly name: string;
  /** Listens to the stores and adds the keys of what is to be looked at. */
  follow(world: World, add: AddKey): void;
  /**
   * Looks at one object and does what is missing. It reads the stores, which know its own writes. Resolves with the milliseconds after which it
   * wants to look again, or with nothing. It may be called at any time: for an object that is gone, too.
   */
  reconcile(world: World, key: string): Promise<number | void>;
}

/** Errors that say that another writer was faster. The object is looked at again. */
const isRace = (error: unknown): boolean =>
  error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound" || error.reason === "AlreadyExists");

/** Whether a write was refused because its namespace is being deleted: nothing is to be done there any more. */
export function isNamespaceEnding(error: unknown): boolean {
  return error instanceof StatusError && error.reason === "Forbidden" &&
    (error.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
}

/** Starts a reconciler. It works until the signal of the world aborts. The returned promise resolves when all of its work has ended. */
export function runReconciler(reconciler: Reconciler, world: World): Promise<void> {
  const { name } = reconciler, { context, signal } = world;
  const queue = new WorkQueue({
    context,
    signal,
    workers: reconcilersAtOnceMax,
    async work(named, own) {
      try {
        const again = await reconciler.reconcile(world, named.slice(name.length + 1));
        if (again !== undefined) own.addAfter(named, again);
      } catch (error) {
        if (isNamespaceEnding(error)) return;
        if (!(error instanceof StatusError)) throw error;
        // What the API refuses, such as a pod beyond a quota, is no fault of the code: its place there says nothing.
        if (!isRace(error)) context.logError(`work on "${named}" was refused and is retried: ${error.message}`);
        own.retry(named);
      }
    },
  });
  // The queues of one controller share their metrics, so their keys differ.
  reconciler.follow(world, (key, afterMs = 0) => queue.addAfter(`${name} ${key}`, afterMs));
  return queue.ended();
}
