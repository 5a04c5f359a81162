/** Log lines about credentials that were not accepted. */
import { limits } from "../../core/limits.ts";
import type { Log } from "../observe/log.ts";

/**
 * Logs the reason of each refusal with the audit id of the request, at most `limits.refusalLinesMax` in `limits.errorLogMs`. The next line
 * contains the number of suppressed ones. They are not errors of the server, and do not appear among its last errors.
 */
export function refusalLog(log: Pick<Log, "info">, now: () => number = Date.now): (auditId: string, reason: string) => void {
  let since = -Infinity, lines = 0, suppressed = 0;
  return (auditId, reason) => {
    const at = now();
    // A clock that was set back begins a new interval as well.
    if (at < since || at - since >= limits.errorLogMs) {
      since = at;
      lines = 0;
    }
    if (lines >= limits.refusalLinesMax) {
      suppressed++;
      return;
    }
    lines++;
    log.info("Unable to authenticate the request", {
      auditID: auditId.slice(0, limits.auditIdLoggedMax),
      error: reason,
      ...(suppressed === 0 ? {} : { suppressed }),
    });
    suppressed = 0;
  };
}
