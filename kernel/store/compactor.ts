import { type Clock, pause, systemClock } from "../../core/async.ts";
import { type Revision, type Store, StoreError } from "./store.ts";

export interface CompactorOptions {
  /** Milliseconds between compactions, and the least history that is kept; kube-apiserver's five minutes where absent. */
  readonly everyMs?: number;
  /**
   * The key by which replicas agree. It lies outside the prefixes of objects; by default it is kube-apiserver's own, with the
   * same content, so that both may share one etcd.
   */
  readonly key?: string;
  readonly clock?: Clock;
  /** Ends the compactor. */
  readonly signal: AbortSignal;
  /** Told of a round that failed; the next comes at its time. */
  readonly onError?: (error: unknown) => void;
}

/** What a replica saw at the end of its last round. */
export interface Seen {
  /** The agreed key's revision. */
  readonly key: Revision | "absent";
  /** The store's newest revision then: old enough to be forgotten one round later. */
  readonly newest: Revision;
}

const everyMsDefault = 5 * 60 * 1000;

/**
 * Forgets the store's history, one round old and older, in equal rounds. Of several replicas one does it each round. Resolves
 * when the signal has aborted and the round under way is over.
 */
export async function startCompactor(store: Store, options: CompactorOptions): Promise<void> {
  const { everyMs = everyMsDefault, key = "compact_rev_key", clock = systemClock, signal, onError = () => {} } = options;
  let seen: Seen | undefined;
  while (!signal.aborted) {
    try {
      seen = seen === undefined ? await lookAround(store, key) : await compactOnce(store, key, seen);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await pause(everyMs, signal, clock);
  }
}

/** The state to begin with: nothing is compacted before a whole round has gone by. */
export async function lookAround(store: Store, key: string): Promise<Seen> {
  const { entry, revision } = await store.get(key);
  return { key: entry?.revision ?? "absent", newest: revision };
}

/**
 * One round. Who writes the key on top of what was seen last time compacts; who comes second only looks, and tries again next
 * round, so that another takes over when the one that used to win is gone:
 *
 *   replica 1   writes key 10 -> 20, compacts       writes key 20 -> 30, compacts     gone
 *   replica 2             expects 10, finds 20            expects 20, finds 30             writes key 30 -> 40, compacts
 */
export async function compactOnce(store: Store, key: string, seen: Seen): Promise<Seen> {
  const commit = await store.commit({ key, expect: seen.key, value: new TextEncoder().encode(`${seen.newest}`), frees: true });
  if (!commit.done) return lookAround(store, key);
  try {
    await store.compact(seen.newest);
  } catch (error) {
    // Someone outside compacted further than we meant to.
    if (!(error instanceof StoreError && error.code === "compacted")) throw error;
  }
  return { key: commit.revision, newest: commit.revision };
}
