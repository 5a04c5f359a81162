/** The versions of one key that a store still has. */
import { bound } from "../../core/bound.ts";
import { type Entry, type Range, type Revision, type Store, StoreError } from "../../kernel/store/store.ts";

/** Attempts to read the oldest revision, which a compaction may take away meanwhile. */
const oldestTries = bound(5);

/** One version: the value that a write has left. */
export interface StoredVersion {
  readonly revision: Revision;
  /** Undefined if the write was a deletion. */
  readonly value: Uint8Array | undefined;
  /** Whether it was there at the oldest revision, so that the versions before it are compacted. */
  readonly isFirstKept: boolean;
}

export interface StoredVersions {
  /** The revisions that the store has. */
  readonly oldest: Revision;
  readonly newest: Revision;
  /** The oldest first. */
  readonly versions: AsyncIterable<StoredVersion>;
}

type Reading = Pick<Store, "list" | "watch">;

/** Reads the versions of a key by a watch from the oldest revision to the newest. `prefix` is that of all keys of the server. */
export async function versionsOf(store: Reading, prefix: string, key: string): Promise<StoredVersions> {
  // An old etcd needs a helper key for a watch to end. It must not be among the objects.
  const range: Range = { prefix: key, upTo: key, within: `${prefix}/`, previous: false };
  const { revision: newest } = await store.list(range, { limit: 1 });
  for (let tries = 1;; tries++) {
    const oldest = await oldestRevision(store, range);
    try {
      const { entries: [first] } = await store.list(range, { limit: 1, at: oldest });
      return { oldest, newest, versions: versionsFrom(first, laterVersions(store, range, oldest, newest)) };
    } catch (error) {
      if (!isCompacted(error) || tries === oldestTries) throw error;
    }
  }
}

async function* versionsFrom(first: Entry | undefined, later: AsyncIterable<StoredVersion>): AsyncGenerator<StoredVersion> {
  if (first !== undefined) yield { revision: first.revision, value: first.value, isFirstKept: true };
  yield* later;
}

async function* laterVersions(store: Reading, range: Range, oldest: Revision, newest: Revision): AsyncGenerator<StoredVersion> {
  if (oldest >= newest) return;
  const ending = new AbortController();
  try {
    for await (const { events, revision } of store.watch(range, oldest, ending.signal)) {
      for (const event of events) {
        if (event.revision <= newest) yield { revision: event.revision, value: event.value, isFirstKept: false };
      }
      if (revision >= newest) return;
    }
  } finally {
    ending.abort();
  }
}

/** The oldest revision that can be read: that of the last compaction, or the first one. */
async function oldestRevision(store: Reading, range: Range): Promise<Revision> {
  try {
    await store.list(range, { limit: 1, at: 1 });
    return 1;
  } catch (error) {
    if (isCompacted(error) && error.oldest !== undefined) return error.oldest;
    throw error;
  }
}

const isCompacted = (error: unknown): error is StoreError => error instanceof StoreError && error.code === "compacted";
