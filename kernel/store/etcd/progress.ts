import type { Clock } from "../../../core/async.ts";
import type { Revision } from "../store.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds before a watch of etcd that is behind requests progress: events usually arrive within two of the commit. */
const progressDelayMs = bound(50);
/** Longest delay, in milliseconds, of a request for progress. It doubles up to this while requests have no effect. */
const progressDelayMsMax = bound(400);
/** Milliseconds before a new watch of etcd requests progress: etcd synchronises new watches ten times a second only. */
const progressFirstDelayMs = bound(400);
/** Writes that request progress from an old etcd at once: each raises the revision that other watches are behind. */
export const progressWritesMax = bound(16);

/** A watch whose progress is supervised. */
export interface SupervisedWatch {
  position(): Revision;
  /** Requests a progress notification from the server. The promise of a request that is a write settles with it. */
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
  /** Resets the recorded revision: the store was restored from an older copy. */
  setBack(): void;
  /** Supervises a watch until the returned function is called. */
  supervise(watch: SupervisedWatch): () => void;
}

interface State {
  /** Cancels the planned check. */
  cancel: (() => void) | undefined;
  /** Whether its request waits for others or is in flight. */
  requested: boolean;
  /** Its position at the last request, and the delay after that request. */
  at: Revision;
  delayMs: number;
}

/** At most `progressWritesMax` requests that are writes are in flight, of each watch one. */
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
    // A server that did not answer the last request is slow, or does not answer yet.
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
