import type { Clock } from "../../../core/async.ts";
import type { Revision } from "../store.ts";

/** A watch as far as progress goes. */
export interface Follower {
  position(): Revision;
  /** Makes the server tell the watch how far it is. */
  ask(): void;
}

/**
 * Sees to it that every watch comes to know of the revisions that reads have shown, though revisions also pass that have no event
 * for it (other keys of a shared etcd). A watch that has not come so far by itself after a moment asks the server.
 */
export interface Progress {
  /** A read has shown this revision. */
  shown(revision: Revision): void;
  /** Whether a read has shown this revision, or a later one. */
  isShown(revision: Revision): boolean;
  /** The store is an older one than it was: what it has shown counts no more. */
  setBack(): void;
  /** Looks after a watch until the returned function is called. */
  follow(follower: Follower): () => void;
}

/**
 * Events mostly come within a millisecond or two of the commit, but etcd catches new watches up only ten times a second. Asking
 * costs a message, on old servers a write.
 */
const patienceMs = 50;
const firstPatienceMs = 400;

export function progressKeeper(clock: Clock): Progress {
  /** Each with what cancels the look at it that is planned, if one is. */
  const followers = new Map<Follower, (() => void) | undefined>();
  let newest = 0;

  function plan(follower: Follower, ms: number): void {
    const cancel = clock.after(ms, () => {
      followers.set(follower, undefined);
      if (follower.position() >= newest) return;
      follower.ask();
      plan(follower, patienceMs);
    });
    followers.set(follower, cancel);
  }

  return {
    shown(revision) {
      if (revision <= newest) return;
      newest = revision;
      for (const [follower, planned] of followers) if (planned === undefined && follower.position() < revision) plan(follower, patienceMs);
    },
    isShown: (revision) => revision <= newest,
    setBack() {
      newest = 0;
    },
    follow(follower) {
      plan(follower, firstPatienceMs);
      return () => {
        followers.get(follower)?.();
        followers.delete(follower);
      };
    },
  };
}

/** 3.4.31, 3.5.13, 3.6 and later: before, progress could overtake events (etcd issue 15220). */
export function tellsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  if (major !== 3 || minor > 5) return major > 3 || minor > 5;
  return (minor === 5 && patch >= 13) || (minor === 4 && patch >= 31);
}
