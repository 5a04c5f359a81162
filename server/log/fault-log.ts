/** Logs one line at the start of a store fault and one at its end. */
import type { Log } from "../../kernel/observe/log.ts";
import { type FaultEvents, faultText } from "../../kernel/store/fault.ts";

export function faultLog(log: Pick<Log, "info" | "error">): FaultEvents {
  return {
    begun: (fault) => log.error(faultText(fault), { todo: fault.advice }),
    // `etcd at https://10.0.0.1:2379 is back after 12 s`.
    ended({ over }, afterMs) {
      log.info(`${over} after ${Math.round(afterMs / 1000)} s`);
    },
  };
}
