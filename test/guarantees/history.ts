/** What happened in a run, as its clients saw it: writes, reads and watches. Times are milliseconds of one clock. */

interface Span {
  readonly key: string;
  readonly begun: number;
  readonly ended: number;
}
/** A write: done (acknowledged), refused (surely without effect), or unknown (the answer was lost). */
export interface Write extends Span {
  readonly op: "put" | "delete";
  /** What was written; no two writes write the same. */
  readonly value: string;
  readonly outcome: "done" | "refused" | "unknown";
  /** What was said to one that is refused. */
  readonly why?: string;
  /** Of a put that is done. */
  readonly revision?: number;
}
/** A read of one object, most recent. */
export interface Read extends Span {
  /** Asked for no older than this; without it the most recent was asked for. */
  readonly atLeast?: number;
  /** Undefined where there was none. */
  readonly found: { readonly revision: number; readonly value: string } | undefined;
}
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly key: string;
  readonly value: string;
  /** Whether its label says that the filtered watchers want it. */
  readonly wanted: boolean;
  readonly revision: number;
}
/** What a watcher saw without a gap of its own making: it resumed after each break from the last revision that it had heard of. */
export interface Chain {
  readonly watcher: string;
  readonly filtered: boolean;
  /** Everything after this is to be seen. */
  readonly start: number;
  readonly events: WatchEvent[];
}

export class History {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly chains: Chain[] = [];
}
