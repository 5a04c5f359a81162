import { type Clock, elapsedClock, pause } from "../../core/async.ts";
import { type Revision, type Store, StoreError } from "../../kernel/store/store.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds between two compactions of the store, and the minimum age of compacted history (kube-apiserver's default). */
const compactionMs = bound(5 * 60 * 1000);

/** Rounds without a compaction, by any process, after which a warning is due. */
const idleRoundsMax = 3;

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
  /** Called when no process has compacted for some rounds, and again after as many more. */
  readonly onIdle?: (rounds: number) => void;
}

/** What a replica saw in its last round. */
export interface Seen {
  /** How often the coordination key had been written. */
  readonly writes: number;
  /** The store's newest revision at that time; it may be compacted one round later. */
  readonly newest: Revision;
}
/** Of a replica that has not seen anything. Its first turn writes the key if it is absent, and it compacts one full round later. */
export const nothingSeen: Seen = { writes: 0, newest: 0 };

/**
 * Compacts history older than one round, once in each round. Of several replicas one compacts. Resolves when the signal has aborted
 * and the round in progress is over.
 */
export async function startCompactor(store: Store, options: CompactorOptions): Promise<void> {
  const { everyMs = compactionMs, key = "compact_rev_key", clock = elapsedClock, signal, onError = () => {}, onIdle = () => {} } = options;
  let seen = nothingSeen, idle = 0;
  while (!signal.aborted) {
    try {
      const last = seen, turn = await takeTurn(store, key, last);
      seen = turn;
      if (turn.isOwn) await compactTo(store, last.newest);
      idle = turn.writes === last.writes ? idle + 1 : 0;
    } catch (error) {
      idle++;
      if (!signal.aborted) onError(error);
    }
    if (idle > 0 && idle % idleRoundsMax === 0 && !signal.aborted) onIdle(idle);
    await pause(everyMs, signal, clock);
  }
}

/**
 * Tries to take the turn of a round. The replica whose write of the key succeeds compacts. The others see how often the key was written and try
 * again next round, so that another one takes over if the first stops:
 *
 *   replica 1   writes the 2nd time, compacts      writes the 3rd time, compacts     stopped
 *   replica 2           expects 1, finds 2               expects 2, finds 3                writes the 4th time, compacts
 */
export async function takeTurn(store: Store, key: string, { writes, newest }: Seen): Promise<Seen & { readonly isOwn: boolean }> {
  const claimed = await store.claim(key, writes, new TextEncoder().encode(`${newest}`));
  return { isOwn: claimed.isOwn, writes: claimed.writes, newest: claimed.revision };
}

/** Compacts to a revision that a replica saw one round before; 0: nothing yet. */
export async function compactTo(store: Store, revision: Revision): Promise<void> {
  if (revision === 0) return;
  try {
    await store.compact(revision);
  } catch (error) {
    // This error means that another process has compacted further than this round would.
    if (!(error instanceof StoreError && error.code === "compacted")) throw error;
  }
}
