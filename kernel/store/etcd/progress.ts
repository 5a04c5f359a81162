import type { Clock } from "../../../core/async.ts";
import type { Revision } from "../store.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds that a watch of etcd is behind before it requests progress. Events usually arrive within two milliseconds of the commit. */
const progressDelayMs = bound(50);
/** Longest delay, in milliseconds, before the next request for progress. The delay doubles up to this while requests have no effect. */
const progressDelayMsMax = bound(400);
/**
 * Milliseconds before a new watch of etcd requests progress. The delay is longer because etcd synchronises new watches only ten times a
 * second.
 */
const progressFirstDelayMs = bound(400);
/**
 * Maximum number of simultaneous writes that request progress from an old etcd. Each write raises the revision that other watches have to
 * reach.
 */
export const progressWritesMax = bound(16);

/** A watch that is checked for having reached the revisions of reads. */
export interface SupervisedWatch {
  position(): Revision;
  /** Requests a progress notification from the server. If the request is a write, the returned promise settles with it. */
  request(): Promise<void> | undefined;
}

/**
 * Makes every watch reach the revisions that reads have returned, even if those revisions have no event in its range (other keys of a
 * shared etcd). A watch that has not reached them after a short delay requests progress from the server.
 */
export interface Progress {
  /** Records a revision that a read has returned. */
  shown(revision: Revision): void;
  /** Whether a read has returned this revision or a later one. */
  isShown(revision: Revision): boolean;
  /** Resets the recorded revision, because the store was replaced by an older copy. */
  setBack(): void;
  /** Checks a watch for progress until the returned function is called. */
  supervise(watch: SupervisedWatch): () => void;
}

interface State {
  /** Cancels the planned check. */
  cancel: (() => void) | undefined;
  /** Whether the watch's request waits for those of others, or is in progress. */
  requested: boolean;
  /** The watch's position at the last request, and the delay after that request. */
  at: Revision;
  delayMs: number;
}

/** Makes a Progress. At most `progressWritesMax` requests that are writes are in progress, and one of each watch. */
export function progressKeeper(clock: Clock): Progress {
  const watches = new Map<SupervisedWatch, State>();
  const waiting = new Set<SupervisedWatch>();
  let newest = 0, inFlight = 0;

  function plan(watch: SupervisedWatch, state: State, ms: number): void {
    state.cancel = clock.after(ms, () => {
      state.cancel = undefined;
      waiting.add(watch);
      state.requested = true;
      drain();
    });
  }
  function drain(): void {
    for (const watch of waiting) {
      if (inFlight >= progressWritesMax) return;
      waiting.delete(watch);
      const state = watches.get(watch);
      if (state !== undefined) send(watch, state);
    }
  }
  function send(watch: SupervisedWatch, state: State): void {
    const position = watch.position();
    if (position >= newest) {
      state.requested = false;
      return;
    }
    // If the position has not changed since the last request, the server is slow or does not answer.
    state.delayMs = position > state.at ? progressDelayMs : Math.min(2 * state.delayMs, progressDelayMsMax);
    state.at = position;
    const over = (): void => {
      state.requested = false;
      if (watches.has(watch)) plan(watch, state, state.delayMs);
    };
    const writing = watch.request();
    if (writing === undefined) return over();
    inFlight++;
    const written = (): void => {
      inFlight--;
      over();
      drain();
    };
    writing.then(written, written);
  }

  return {
    shown(revision) {
      if (revision <= newest) return;
      newest = revision;
      for (const [watch, state] of watches) {
        if (state.cancel === undefined && !state.requested && watch.position() < revision) plan(watch, state, progressDelayMs);
      }
    },
    isShown: (revision) => revision <= newest,
    setBack() {
      newest = 0;
    },
    supervise(watch) {
      const state = { cancel: undefined, requested: false, at: -1, delayMs: progressDelayMs };
      watches.set(watch, state);
      plan(watch, state, progressFirstDelayMs);
      return () => {
        watches.get(watch)?.cancel?.();
        watches.delete(watch);
        waiting.delete(watch);
      };
    },
  };
}
