import { type Clock, elapsedClock, pause } from "../../core/async.ts";
import { type Revision, type Store, StoreError } from "../../kernel/store/store.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds between two compactions of the store, and the minimum age of compacted history (kube-apiserver's default). */
const compactionMs = bound(5 * 60 * 1000);

export interface CompactorOptions {
  /** Milliseconds between compactions, and the minimum age of compacted history; default: kube-apiserver's five minutes. */
  readonly everyMs?: number;
  /**
   * Key by which replicas coordinate, outside the prefixes of objects. The default is kube-apiserver's key with its content, so that
   * both may share one etcd.
   */
  readonly key?: string;
  readonly clock?: Clock;
  /** Stops the compactor. */
  readonly signal: AbortSignal;
  /** Called when a round fails; the next one runs as planned. */
  readonly onError?: (error: unknown) => void;
}

/** The state of the store that a replica saw at the end of its last round. */
export interface Seen {
  /** Revision of the coordination key. */
  readonly key: Revision | "absent";
  /** The store's newest revision at that time; it may be compacted one round later. */
  readonly newest: Revision;
}

/**
 * Compacts history older than one round, once in each round. Of several replicas one compacts. Resolves when the signal has aborted
 * and the round in progress is over.
 */
export async function startCompactor(store: Store, options: CompactorOptions): Promise<void> {
  const { everyMs = compactionMs, key = "compact_rev_key", clock = elapsedClock, signal, onError = () => {} } = options;
  let seen: Seen | undefined;
  while (!signal.aborted) {
    try {
      seen = seen === undefined ? await initialState(store, key) : await compactOnce(store, key, seen);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await pause(everyMs, signal, clock);
  }
}

/** Reads the state with which a compactor starts. Its first compaction is one full round later. */
export async function initialState(store: Store, key: string): Promise<Seen> {
  const { entry, revision } = await store.get(key);
  return { key: entry?.revision ?? "absent", newest: revision };
}

/**
 * One round. The replica whose write of the key succeeds compacts. The others read the key and try again next round, so that another
 * one takes over if the first stops:
 *
 *   replica 1   writes key 10 -> 20, compacts       writes key 20 -> 30, compacts     stopped
 *   replica 2             expects 10, finds 20            expects 20, finds 30             writes key 30 -> 40, compacts
 */
export async function compactOnce(store: Store, key: string, seen: Seen): Promise<Seen> {
  const commit = await store.commit({ key, expect: seen.key, value: new TextEncoder().encode(`${seen.newest}`), frees: true });
  if (!commit.done) return initialState(store, key);
  try {
    await store.compact(seen.newest);
  } catch (error) {
    // This error means that another process has compacted further than this round would.
    if (!(error instanceof StoreError && error.code === "compacted")) throw error;
  }
  return { key: commit.revision, newest: commit.revision };
}
