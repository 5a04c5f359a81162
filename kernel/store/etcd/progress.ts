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

/** Implements Progress. At most `progressWritesMax` requests that are writes are in progress, and one of each watch. */
export class ProgressKeeper implements Progress {
  readonly #clock: Clock;
  readonly #watches = new Map<SupervisedWatch, State>();
  /** The watches whose requests wait for those of others. */
  readonly #waiting = new Set<SupervisedWatch>();
  #newest = 0;
  #inFlight = 0;
  constructor(clock: Clock) {
    this.#clock = clock;
  }
  shown(revision: Revision): void {
    if (revision <= this.#newest) return;
    this.#newest = revision;
    for (const [watch, state] of this.#watches) {
      if (state.cancel === undefined && !state.requested && watch.position() < revision) this.#plan(watch, state, progressDelayMs);
    }
  }
  isShown(revision: Revision): boolean {
    return revision <= this.#newest;
  }
  setBack(): void {
    this.#newest = 0;
  }
  supervise(watch: SupervisedWatch): () => void {
    const state = { cancel: undefined, requested: false, at: -1, delayMs: progressDelayMs };
    this.#watches.set(watch, state);
    this.#plan(watch, state, progressFirstDelayMs);
    return () => {
      this.#watches.get(watch)?.cancel?.();
      this.#watches.delete(watch);
      this.#waiting.delete(watch);
    };
  }
  #plan(watch: SupervisedWatch, state: State, ms: number): void {
    state.cancel = this.#clock.after(ms, () => {
      state.cancel = undefined;
      this.#waiting.add(watch);
      state.requested = true;
      this.#drain();
    });
  }
  #drain(): void {
    for (const watch of this.#waiting) {
      if (this.#inFlight >= progressWritesMax) return;
      this.#waiting.delete(watch);
      const state = this.#watches.get(watch);
      if (state !== undefined) this.#send(watch, state);
    }
  }
  #send(watch: SupervisedWatch, state: State): void {
    const position = watch.position();
    if (position >= this.#newest) {
      state.requested = false;
      return;
    }
    // If the position has not changed since the last request, the server is slow or does not answer.
    state.delayMs = position > state.at ? progressDelayMs : Math.min(2 * state.delayMs, progressDelayMsMax);
    state.at = position;
    const over = (): void => {
      state.requested = false;
      if (this.#watches.has(watch)) this.#plan(watch, state, state.delayMs);
    };
    const writing = watch.request();
    if (writing === undefined) return over();
    this.#inFlight++;
    const written = (): void => {
      this.#inFlight--;
      over();
      this.#drain();
    };
    writing.then(written, written);
  }
}
