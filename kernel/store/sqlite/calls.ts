/** Calls to the thread of the sqlite store, and their results. */
import type { Change, Entry, Listing, Range, Revision, StoreErrorCode, StoreEvent } from "../store.ts";

/** One operation; the calls of a run share one transaction. */
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
  /** Checks whether a full store has space again, and whether a failed one can be written. */
  | { readonly op: "checkSpace" }
  /** Checks whether the files of the store are still at their paths, as each run that writes does. */
  | { readonly op: "checkPlace" }
  | { readonly op: "size" };

/** The result of each operation. Plain data, so that it can be sent between threads. */
export interface Answers {
  readonly commit:
    | { readonly done: true; readonly revision: Revision; readonly previous: StoreEvent["previous"] }
    | { readonly done: false; readonly current: Entry | undefined };
  readonly get: { readonly entry: Entry | undefined; readonly revision: Revision };
  readonly list: Listing;
  /** The next events after revision `after`. They are complete up to `revision`. */
  readonly history: { readonly events: readonly StoreEvent[]; readonly revision: Revision };
  readonly compact: undefined;
  readonly expire: readonly StoreEvent[];
  readonly sweep: undefined;
  readonly checkSpace: undefined;
  readonly checkPlace: undefined;
  /** Size of the database in bytes. */
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
  /** Events of the engine's own, before those of the calls. */
  readonly events?: readonly StoreEvent[];
  readonly revision: Revision;
  readonly compacted: Revision;
  /** Time at which the next key expires, in milliseconds since 1970; undefined if no key expires. */
  readonly expiresAt: number | undefined;
  /** Whether rows of compacted history remain to be deleted. */
  readonly unswept: boolean;
  /** Whether the disk is full. Creates and updates then fail with "full", except those that are part of a deletion. */
  readonly full: boolean;
}

/** The synchronous part of the sqlite store. A run is durable when it returns; a run that throws has changed nothing. */
export interface Engine {
  run(calls: readonly Call[]): Run;
  close(): void;
}
