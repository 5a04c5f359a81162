/** Notices that a file has changed. It looks at it from time to time: notices of the system do not come from every kind of mount. */
import { statSync } from "node:fs";
import { type Clock, pause } from "../../core/async.ts";

export interface FileWatch {
  /** A fingerprint that changes with the file. Where it throws, the file counts as unchanged. */
  readonly look: () => string;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told of a state that has lasted from one look to the next: a file that is being written is left alone until that is over. */
  readonly changed: () => Promise<void>;
}

/** Checks until the signal aborts. The first state is reported, too: the file may have changed since it was read. */
export async function watchFile({ look, everyMs, clock, signal, changed }: FileWatch): Promise<void> {
  let reported: string | undefined;
  let seen = stateOf(look);
  while (!signal.aborted) {
    await pause(everyMs, signal, clock);
    if (signal.aborted) return;
    const now = stateOf(look);
    const still = now === seen;
    seen = now;
    if (!still || now === undefined || now === reported) continue;
    reported = now;
    await changed();
  }
}

function stateOf(look: () => string): string | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/**
 * A fingerprint of the file at a path: changes when it is written, renamed over, or when a link on the way to
 * it leads elsewhere, as mounted ConfigMaps change. "missing" where there is none.
 */
export function fingerprint(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "missing" : [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(" ");
}
