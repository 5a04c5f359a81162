/** The history of a run as observed by its clients: writes, reads and watches. Times are milliseconds of one clock. */

interface Span {
  readonly key: string;
  readonly begun: number;
  readonly ended: number;
}
/** A write: done (acknowledged), refused (without effect), or unknown (the response was lost). */
export interface Write extends Span {
  readonly op: "put" | "delete";
  /** The written value, unique among all writes. */
  readonly value: string;
  readonly outcome: "done" | "refused" | "unknown";
  /** The error of a refused write. */
  readonly why?: string;
  /** Of a completed put. */
  readonly revision?: number;
}
/** A read of one object, most recent. */
export interface Read extends Span {
  /** The requested minimum revision; undefined for the most recent one. */
  readonly atLeast?: number;
  /** Undefined if there was no object. */
  readonly found: { readonly revision: number; readonly value: string } | undefined;
}
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly key: string;
  readonly value: string;
  /** Whether the label matches the selector of the filtered watchers. */
  readonly wanted: boolean;
  readonly revision: number;
}
/** The events of a watcher without a gap of its own: it resumed after each break from its last revision. */
export interface Chain {
  readonly watcher: string;
  readonly filtered: boolean;
  /** All changes after this revision are part of the chain. */
  readonly start: number;
  readonly events: WatchEvent[];
}

export class History {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly chains: Chain[] = [];
}
