/** Detects changes of a file by polling: not every kind of mount supports notifications of the system. */
import { abortable, type Clock, pause } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds for which the end of a server waits for reloads in progress. */
export const reloadEndMs = bound(2_000);

export interface FileWatch {
  /** A fingerprint that changes with the file. If it throws or rejects, the file is treated as unchanged. */
  readonly look: () => string | Promise<string>;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with a state that was equal in two checks in sequence, so that a file is not read while it is being written. */
  readonly changed: () => Promise<void>;
}

/** Checks until the signal aborts, and then waits a short time for the last report. The first state is reported as well: the file may have changed after it was read. */
export async function watchFile({ look, everyMs, clock, signal, changed }: FileWatch): Promise<void> {
  let reported: string | undefined;
  let seen = await stateOf(look);
  while (!signal.aborted) {
    await pause(everyMs, signal, clock);
    if (signal.aborted) return;
    const now = await stateOf(look);
    const still = now === seen;
    seen = now;
    if (!still || now === undefined || now === reported) continue;
    reported = now;
    const told = changed();
    await abortable(told, signal).catch(() => {});
    // A report may never end.
    if (signal.aborted) await Promise.race([told, pause(reloadEndMs, new AbortController().signal, clock)]);
  }
}

async function stateOf(look: FileWatch["look"]): Promise<string | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}
