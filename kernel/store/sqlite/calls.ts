/** Calls to the thread of the sqlite store, and their answers. */
import type { Change, Entry, Listing, Range, Revision, StoreErrorCode, StoreEvent } from "../store.ts";

/** One thing to do; the calls of a run share one transaction. */
export type Call =
  /** `expires` is in milliseconds since 1970. */
  | { readonly op: "commit"; readonly change: Change; readonly expires: number | undefined }
  | { readonly op: "get"; readonly key: string }
  | {
    readonly op: "list";
    readonly range: Range;
    readonly limit: number | undefined;
    readonly at: Revision | undefined;
    readonly counted: boolean;
  }
  | { readonly op: "history"; readonly range: Range; readonly after: Revision }
  | { readonly op: "compact"; readonly revision: Revision }
  | { readonly op: "expire"; readonly now: number }
  | { readonly op: "sweep" }
  /** Looks whether a store that was full has room again, and whether one that failed can be written. */
  | { readonly op: "room" }
  | { readonly op: "size" };

/** What each call answers. Plain data, so that it crosses from a worker unchanged. */
export interface Answers {
  readonly commit:
    | { readonly done: true; readonly revision: Revision; readonly previous: StoreEvent["previous"] }
    | { readonly done: false; readonly current: Entry | undefined };
  readonly get: { readonly entry: Entry | undefined; readonly revision: Revision };
  readonly list: Listing;
  /** The next events after `after`; everything up to `revision` is among them. */
  readonly history: { readonly events: readonly StoreEvent[]; readonly revision: Revision };
  readonly compact: undefined;
  readonly expire: readonly StoreEvent[];
  readonly sweep: undefined;
  readonly room: undefined;
  /** Bytes of the database. */
  readonly size: number;
}

export type Failure = {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly oldest?: Revision | undefined;
  readonly current?: Revision | undefined;
};
export type Outcome = { readonly answer: Answers[Call["op"]] } | { readonly failure: Failure };

export interface Run {
  readonly outcomes: readonly Outcome[];
  readonly revision: Revision;
  readonly compacted: Revision;
  /** When the next key expires, in milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  /** Whether compacted history still waits to be swept away. */
  readonly unswept: boolean;
  /** Whether there is no room: creates and updates fail with "full", unless they are part of a deletion. */
  readonly full: boolean;
}

/** The synchronous heart of the sqlite store. A run is durable when it returns; one that throws has changed nothing. */
export interface Engine {
  run(calls: readonly Call[]): Run;
  close(): void;
}
