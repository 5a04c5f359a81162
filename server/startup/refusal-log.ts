/** Log lines about credentials that were not accepted. */
import { systemClock } from "../../core/async.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { bound } from "../../core/bound.ts";
import { errorLogMs } from "./bounds.ts";
import { auditIdLoggedMax } from "../../kernel/observe/bounds.ts";

/** Log lines in `errorLogMs` about credentials that were not accepted. */
export const refusalLinesMax = bound(10);

/**
 * Logs the reason of each refusal with the audit id of the request, at most `refusalLinesMax` in `errorLogMs`. The next line
 * contains the number of suppressed ones. They are not errors of the server, and do not appear among its last errors.
 */
export function refusalLog(log: Pick<Log, "info">, now: () => number = systemClock.now): (auditId: string, reason: string) => void {
  let since = -Infinity, lines = 0, suppressed = 0;
  return (auditId, reason) => {
    const at = now();
    // A clock that was set back begins a new interval as well.
    if (at < since || at - since >= errorLogMs) {
      since = at;
      lines = 0;
    }
    if (lines >= refusalLinesMax) {
      suppressed++;
      return;
    }
    lines++;
    log.info("Unable to authenticate the request", {
      auditID: auditId.slice(0, auditIdLoggedMax),
      error: reason,
      ...(suppressed === 0 ? {} : { suppressed }),
    });
    suppressed = 0;
  };
}
