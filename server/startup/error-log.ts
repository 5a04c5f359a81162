/** Log lines for errors that may occur with every request. */
import { systemClock } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { errorLogMs } from "./bounds.ts";

interface Last {
  readonly at: number;
  /** Errors since then that were not logged. */
  suppressed: number;
}

/**
 * Logs an error with a sentence, each sentence at most once in `errorLogMs`. The next line of a sentence contains the number of
 * suppressed ones. The sentences are few and fixed: they must not contain text of clients.
 */
export function errorLog(log: Pick<Log, "error">, now: () => number = systemClock.now): (sentence: string, error: unknown) => void {
  const lines = new Map<string, Last>();
  return (sentence, error) => {
    const last = lines.get(sentence), at = now();
    if (last !== undefined && at - last.at < errorLogMs) {
      last.suppressed++;
      return;
    }
    const suppressed = last?.suppressed ?? 0;
    lines.set(sentence, { at, suppressed: 0 });
    log.error(sentence, { error: reasonOf(error), ...(suppressed === 0 ? {} : { suppressed }) });
  };
}
