/** One line when the store gets into trouble, and one when that is over. */
import type { Log } from "./log.ts";
import { type TroubleEvents, troubleText } from "../store/trouble.ts";

export function troubleLog(log: Pick<Log, "info" | "error">): TroubleEvents {
  return {
    begun: (trouble) => log.error(troubleText(trouble), { todo: trouble.advice }),
    // `etcd at https://10.0.0.1:2379 is back after 12 s`.
    ended({ over }, afterMs) {
      log.info(`${over} after ${Math.round(afterMs / 1000)} s`);
    },
  };
}
