/** Keeps what was read from files as new as the files are, while the server runs. */
import { reasonOf } from "../../core/reason-of.ts";
import type { Fields, Log } from "../observe/log.ts";
import type { Clock } from "../../core/async.ts";
import { fingerprint, watchFile } from "./watch-file.ts";

/** Something that was read from files and is in force. */
export interface Followed {
  /** For the log: "serving certificate". */
  readonly what: string;
  readonly paths: readonly string[];
  /** Reads the files again and takes them into force whole: what to tell of it, or undefined where nothing is new. Rejects, with what
   *  was in force still in force, where they are no good. */
  readonly renew: () => Promise<Fields | undefined>;
}

export interface FollowedFiles {
  /** Looks at all of them now, whether they have changed or not. Never rejects. */
  again(): Promise<void>;
  /** Resolves when all checks have ended, after the signal has aborted. */
  readonly ended: Promise<void>;
}

const lookEveryMs = 1_000;
/** Files are read anew this often even where they look the same: what could not be read may be readable, and certificates grow old. */
const readEveryMs = 60_000;

/** Follows each file until the signal aborts. An error is logged when it is new, not at every check. */
export function followFiles(
  followed: readonly Followed[],
  { log, clock, signal }: { readonly log: Log; readonly clock: Clock; readonly signal: AbortSignal },
): FollowedFiles {
  const all = followed.map(({ what, paths, renew }) => {
    let refused = "", running = Promise.resolve();
    const once = async (): Promise<void> => {
      try {
        const renewed = await renew();
        if (renewed !== undefined) log.info(`the ${what} was renewed`, { files: paths, ...renewed });
        else if (refused !== "") log.info(`the ${what} can be read again, and is what it was`, { files: paths });
        refused = "";
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== refused) log.error(`cannot renew the ${what}: what was in force stays in force`, { files: paths, error: reason });
        refused = reason;
      }
    };
    const again = (): Promise<void> => running = running.then(once);
    const look = () => [Math.floor(clock.now() / readEveryMs), ...paths.map(fingerprint)].join("\n");
    return { again, ended: watchFile({ look, everyMs: lookEveryMs, clock, signal, changed: again }) };
  });
  return {
    again: async () => void await Promise.all(all.map((each) => each.again())),
    ended: Promise.all(all.map((each) => each.ended)).then(() => {}),
  };
}
