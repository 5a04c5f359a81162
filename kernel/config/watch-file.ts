/** Detects changes of a file by polling: not every kind of mount supports notifications of the system. */
import { statSync } from "node:fs";
import { type Clock, pause } from "../../core/async.ts";

export interface FileWatch {
  /** A fingerprint that changes with the file. If it throws, the file is treated as unchanged. */
  readonly look: () => string;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with a state that was equal in two checks in sequence, so that a file is not read while it is being written. */
  readonly changed: () => Promise<void>;
}

/** Checks until the signal aborts. The first state is reported as well: the file may have changed after it was read. */
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
 * A fingerprint of the file at a path: it changes when the file is written or replaced, or when a link on its path changes, as in mounted
 * ConfigMaps. "missing" if there is none.
 */
export function fingerprint(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "missing" : [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(" ");
}
