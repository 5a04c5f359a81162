/**
 * The store port: keys, bytes and revisions. `etcd/` and `sqlite/` implement it; one suite
 * (`test/store/store-conformance.ts`) runs on both.
 *
 * A revision is a positive safe integer that grows by one with every commit of any key, as in etcd. A key's revision is that of its
 * last write (mod_revision).
 */
export type Revision = number;

export interface Entry {
  readonly key: string;
  /** The stored bytes. They are shared and must not be changed. */
  readonly value: Uint8Array;
  readonly revision: Revision;
}

/** Every key that begins with `prefix`, in byte order. */
export interface Range {
  readonly prefix: string;
  /** If given, only keys greater than this one are in the range. */
  readonly after?: string;
  /** If given, only keys up to and including this one are in the range. */
  readonly upTo?: string;
  /** A wider prefix that includes this one, such as that of all namespaces: a store must not write helper keys below it. */
  readonly within?: string;
  /** False if a watch need not have previous values: its events may lack them. */
  readonly previous?: boolean;
}

export interface Page {
  /** Maximum number of entries; default: all. */
  readonly limit?: number;
  /** The revision to read; default: the newest, linearizably. */
  readonly at?: Revision;
  /** False if the caller needs no count: `count` then shows only whether there are more entries than were returned. */
  readonly counted?: boolean;
  /** False if the caller needs keys and revisions only: values may be empty. */
  readonly valued?: boolean;
  readonly signal?: AbortSignal;
}

export interface Listing {
  readonly entries: readonly Entry[];
  /** The store's revision of the listing: `at`, or the newest. */
  readonly revision: Revision;
  /** Number of keys in the range at that revision, from `after` on. */
  readonly count: number;
}

/** One conditional write of one key. */
export interface Change {
  readonly key: string;
  /** The key's revision that the writer has seen, or "absent". */
  readonly expect: Revision | "absent";
  /** The bytes to store; undefined deletes the key. */
  readonly value: Uint8Array | undefined;
  /** Seconds after which the store deletes the key, as for Events; default: never. */
  readonly ttlSeconds?: number;
  /** Whether the update is part of a deletion or of compaction: a store on a full disk still accepts it, as long as it can. */
  readonly frees?: boolean;
  /** Ends the conversion of the value before the store gets it, for kinds that are converted by calls. The write itself is not ended. */
  readonly signal?: AbortSignal;
}

export type Commit =
  | {
    readonly done: true;
    readonly revision: Revision;
    /** The bytes that a read returns, if they differ from the stored ones. This happens for objects that are converted. */
    readonly value?: Uint8Array;
  }
  | { readonly done: false; readonly current: Entry | undefined };

/** The turn of a process among those that coordinate by a key. */
export interface Claim {
  readonly isOwn: boolean;
  /** How often the key has been written. */
  readonly writes: number;
  /** The newest revision of the store. */
  readonly revision: Revision;
}

export interface StoreEvent {
  readonly key: string;
  /** The revision of this event. */
  readonly revision: Revision;
  /** The new bytes; undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** The bytes before this event, and their revision. Undefined if the key is new, or if the watch did not ask for them. */
  readonly previous: { readonly value: Uint8Array; readonly revision: Revision } | undefined;
}

/** Events of whole revisions, in order. After a batch the watch has delivered every event up to `revision`. */
export interface Batch {
  readonly events: readonly StoreEvent[];
  readonly revision: Revision;
}

export interface Store {
  get(key: string, signal?: AbortSignal): Promise<{ readonly entry: Entry | undefined; readonly revision: Revision }>;
  list(range: Range, page?: Page): Promise<Listing>;
  /** Resolves with the entries of a range at a revision, in the order of their keys; undefined if the store has them in lists only. */
  stream?(range: Range, at: Revision, signal: AbortSignal): Promise<AsyncIterable<readonly Entry[]> | undefined>;
  /** Returns the newest revision if it is known without a round trip, because there is no other writer; else undefined. */
  newest(): Revision | undefined;
  /**
   * Writes one key. The write is durable when the promise resolves. If another writer was first, the result says so; an unreachable store
   * rejects with a StoreError.
   */
  commit(change: Change): Promise<Commit>;
  /**
   * Yields the events after revision `from`, complete and in order. The iteration ends normally when `signal` aborts. Empty batches report
   * progress. A lost connection is reopened internally while the history allows it.
   *
   * @throws StoreError "compacted" if `from` was compacted; "set-back" if the store was restored from an older copy and has lost events
   *   that the watch has delivered
   */
  watch(range: Range, from: Revision, signal: AbortSignal): AsyncIterable<Batch>;
  /**
   * Takes the next turn if the key has been written `writes` times, and says how often it was otherwise. API servers of Kubernetes send the same
   * transaction for the same key, and stores that only imitate etcd know no other for it.
   */
  claim(key: string, writes: number, value: Uint8Array): Promise<Claim>;
  /** Drops history before `revision`. A revision that is already compacted is ignored. */
  compact(revision: Revision): Promise<void>;
  /** Returns the bytes that the stored data takes on disk, free space included. */
  size(): Promise<number>;
  close(): Promise<void>;
}

export type StoreErrorCode = "compacted" | "set-back" | "future" | "unavailable" | "too-large" | "refused" | "full" | "closed";

/**
 * A failure of the store. "compacted" has `oldest`, "future" has `current`. "full": there was no space for creates and updates, and nothing
 * was written. "refused": the store has a permanent reason to reject the call, such as missing rights or a full etcd. The write at which
 * etcd detects that it is full may have been made.
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly oldest: Revision | undefined;
  readonly current: Revision | undefined;
  constructor(code: StoreErrorCode, message: string, more: { oldest?: Revision; current?: Revision; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = "StoreError";
    this.code = code;
    this.oldest = more.oldest;
    this.current = more.current;
  }
}
