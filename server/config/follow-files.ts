/** Reloads changed files while the server runs. */
import { reasonOf } from "../../core/reason-of.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { Clock } from "../../core/async.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { fingerprint } from "../../protocols/files/bounded-files.ts";
import { watchFile } from "./watch-file.ts";

/** What `followFiles` does. */
export interface Following {
  /** Reads all files now, changed or not. Never rejects. */
  again(): Promise<void>;
  /** Resolves when all checks have ended, soon after the signal has aborted. */
  readonly ended: Promise<void>;
}

const lookEveryMs = 1_000;
/**
 * Milliseconds after which files are read even if their fingerprint is unchanged: an unreadable file may have become readable, and
 * certificates expire.
 */
const readEveryMs = 60_000;

/** Follows each file until the signal aborts. An error is logged once, not at every check. */
export function followFiles(
  followed: readonly FollowedFiles[],
  { log, clock, signal, stateOf = fingerprint }: {
    readonly log: Log;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    /** Default: `fingerprint`. */
    readonly stateOf?: (path: string) => string | Promise<string>;
  },
): Following {
  const all = followed.map(({ what, paths, renew }) => {
    let refused = "", running = Promise.resolve();
    const once = async (): Promise<void> => {
      try {
        const renewed = await renew();
        if (renewed !== undefined) log.info(`the ${what} was renewed`, { files: paths, ...renewed });
        else if (refused !== "") log.info(`the ${what} can be read again and has not changed`, { files: paths });
        refused = "";
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== refused) log.error(`cannot renew the ${what}: the previous one stays active`, { files: paths, error: reason });
        refused = reason;
      }
    };
    const again = (): Promise<void> => running = running.then(once);
    const look = async () => [Math.floor(clock.now() / readEveryMs), ...await Promise.all(paths.map(stateOf))].join("\n");
    return { again, ended: watchFile({ look, everyMs: lookEveryMs, clock, signal, changed: again }) };
  });
  return {
    again: async () => void await Promise.all(all.map((each) => each.again())),
    ended: Promise.all(all.map((each) => each.ended)).then(() => {}),
  };
}
