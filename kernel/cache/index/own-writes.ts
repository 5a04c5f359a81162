/**
 * Recent writes of this server, by key, so that the cache recognises its own bytes in the store's events. Bytes that this server has
 * encoded need no decoding. Deletions are recorded, too: the cache holds a deleted object until the event of its deletion arrives.
 */
import { sameBytes } from "../../store/same-bytes.ts";
import type { Change, Commit, Store } from "../../store/store.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of writes of this server that are remembered while they wait for their event. Events of further writes are decoded. */
const ownWritesMax = bound(1024);

export interface OwnWrites {
  /** The same store; writes through it are recorded here. */
  readonly store: Store;
  /** Returns this server's own bytes if they equal `value`, else `value`. */
  known(key: string, value: Uint8Array): Uint8Array;
  /** Called when the event of a deletion has arrived. */
  deleted(key: string): void;
  /** Whether a write or deletion of this key by this server is in progress, or is done and its event has not arrived. */
  isWritten(key: string): boolean;
}

export function ownWrites(store: Store, isCached: (key: string) => boolean, onCompact: (revision: number) => void): OwnWrites {
  /** The value that was written for each key; undefined stands for a deletion. */
  const noted = new Map<string, Uint8Array | undefined>();

  async function commit(change: Change): Promise<Commit> {
    const { key, value } = change;
    if (!isCached(key)) return await store.commit(change);
    noted.delete(key);
    noted.set(key, value);
    if (noted.size > ownWritesMax) { for (const oldest of noted.keys()) if (noted.delete(oldest)) break; }
    let isDone = false;
    try {
      const result = await store.commit(change);
      isDone = result.done;
      return result;
    } finally {
      // A write that failed may still have been committed. Its event, if there is one, is decoded.
      if (!isDone && noted.get(key) === value) noted.delete(key);
    }
  }
  async function compact(revision: number): Promise<void> {
    await store.compact(revision);
    onCompact(revision);
  }
  return {
    store: {
      get: (key, signal) => store.get(key, signal),
      list: (range, page) => store.list(range, page),
      newest: () => store.newest(),
      watch: (range, from, signal) => store.watch(range, from, signal),
      size: () => store.size(),
      close: () => store.close(),
      claim: (key, writes, value) => store.claim(key, writes, value),
      commit,
      compact,
    },
    isWritten: (key) => noted.has(key),
    deleted(key) {
      if (noted.get(key) === undefined) noted.delete(key);
    },
    known(key, value) {
      const own = noted.get(key);
      if (own === undefined || (own !== value && !sameBytes(own, value))) return value;
      noted.delete(key);
      return own;
    },
  };
}
