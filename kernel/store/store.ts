/**
 * The store port: bytes and revisions, nothing else. `etcd.ts` and `sqlite.ts` implement it, one suite
 * (`store-conformance.ts`) runs on each.
 *
 * A revision is a positive safe integer that grows by one with every commit of any key, as etcd's does; a key's
 * revision is the one of its last write (mod_revision).
 */
export type Revision = number;

export interface Entry {
  readonly key: string;
  /** Shared and read-only. */
  readonly value: Uint8Array;
  readonly revision: Revision;
}

/** Every key that begins with `prefix`, in byte order of keys. */
export interface Range {
  readonly prefix: string;
  /** Only keys strictly greater than this one. */
  readonly after?: string;
  /** A wider prefix of which this one is a part, such as that of all namespaces: nobody may leave anything there that is no entry. */
  readonly within?: string;
}

export interface Page {
  /** At most so many entries; absent means all. */
  readonly limit?: number;
  /** The state as of this revision; absent means the newest, linearizably. */
  readonly at?: Revision;
  /** False where nobody asks how much is left: `count` then tells only whether there is more than came. */
  readonly counted?: boolean;
  readonly signal?: AbortSignal;
}

export interface Listing {
  readonly entries: readonly Entry[];
  /** The store's revision at which the listing holds (the `at` asked for, or the newest). */
  readonly revision: Revision;
  /** How many keys of the range there are in all at that revision, counting from `after` on. */
  readonly count: number;
}

/** One conditional write of one key. */
export interface Change {
  readonly key: string;
  /** The key's revision that the writer has seen, or that there is none. */
  readonly expect: Revision | "absent";
  /** The new bytes, or undefined to delete. */
  readonly value: Uint8Array | undefined;
  /** Seconds after which the store removes the key by itself (Events); absent means never. */
  readonly ttlSeconds?: number;
  /** An update that is part of a deletion or of compaction: a store without room makes it all the same, as long as it can. */
  readonly frees?: boolean;
}

export type Commit =
  | { readonly done: true; readonly revision: Revision }
  | { readonly done: false; readonly current: Entry | undefined };

export interface StoreEvent {
  readonly key: string;
  /** The revision of this event. */
  readonly revision: Revision;
  /** The new bytes; undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** The bytes before this event and their revision; undefined when the key is new. */
  readonly previous: { readonly value: Uint8Array; readonly revision: Revision } | undefined;
}

/** Events of whole revisions in order. Everything up to `revision` has been delivered when the batch has been. */
export interface Batch {
  readonly events: readonly StoreEvent[];
  readonly revision: Revision;
}

export interface Store {
  get(key: string, signal?: AbortSignal): Promise<{ readonly entry: Entry | undefined; readonly revision: Revision }>;
  list(range: Range, page?: Page): Promise<Listing>;
  /** The newest revision, where it is known without asking because nobody else can write; undefined where others may have. */
  newest(): Revision | undefined;
  /** Durable when it resolves. A lost race is a value; an unreachable store is a StoreError. */
  commit(change: Change): Promise<Commit>;
  /**
   * Events with a revision greater than `from`, complete and in order, until `signal` aborts (the iteration then
   * ends normally). Empty batches may come at any time and tell progress. A `from` that is compacted away throws
   * StoreError "compacted"; a lost connection is mended inside while the history allows it. A store that comes back without what the
   * watch has told already, because an older copy was put in its place, throws StoreError "set-back".
   */
  watch(range: Range, from: Revision, signal: AbortSignal): AsyncIterable<Batch>;
  /** Forget history before `revision`. Compacting what is compacted already does nothing. */
  compact(revision: Revision): Promise<void>;
  /** Bytes that it takes where it is kept, free space in between included. */
  size(): Promise<number>;
  close(): Promise<void>;
}

export type StoreErrorCode = "compacted" | "set-back" | "future" | "unavailable" | "too-large" | "refused" | "full" | "closed";

/**
 * A failure of the store that the caller must answer for; "full": there is no room for creates and updates, nothing was done; `oldest` comes with "compacted", `current` with "future". "refused": for a reason
 * of the store's own that another try does not change, such as that it is full; the write with which etcd finds that out may be done.
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
