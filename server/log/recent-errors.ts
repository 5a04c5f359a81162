/** The last error lines of the log, for the status page. The log contains no secrets. */
import type { Log } from "../../kernel/observe/log.ts";
import { bound } from "../../core/bound.ts";

/** Errors that the status page shows. */
export const recentErrorsMax = bound(20);
/** UTF-16 units of the text of an error that the status page shows. */
export const recentErrorLengthMax = bound(400);

export interface RecentError {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly module: string;
  readonly message: string;
  /** What to do, with the section of the documentation; for faults that have one. */
  readonly todo?: string;
}

/** A log that also keeps its last errors, newest first, in `recent()`. */
export function keepErrors(log: Log, now: () => number): { readonly log: Log; readonly recent: () => readonly RecentError[] } {
  const kept: RecentError[] = [];
  const of = (inner: Log, module: string): Log => ({
    info: inner.info,
    at: inner.at,
    module: (name) => of(inner.module(name), name),
    error(message, more) {
      inner.error(message, more);
      const error = more?.["error"];
      const text = typeof error === "string" ? `${message}: ${error}` : message;
      const todo = more?.["todo"];
      kept.unshift({
        at: now(),
        module,
        message: text.slice(0, recentErrorLengthMax),
        ...(typeof todo === "string" ? { todo: todo.slice(0, recentErrorLengthMax) } : {}),
      });
      kept.length = Math.min(kept.length, recentErrorsMax);
    },
  });
  return { log: of(log, ""), recent: () => kept };
}
