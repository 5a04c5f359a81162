import { limits } from "../../../core/limits.ts";
import type { Clock } from "../../../core/async.ts";
import type { Revision } from "../store.ts";

/** A watch whose progress is supervised. */
export interface SupervisedWatch {
  position(): Revision;
  /** Requests a progress notification from the server. */
  request(): void;
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

export function progressKeeper(clock: Clock): Progress {
  /** Watches, each with the function that cancels its planned check. */
  const watches = new Map<SupervisedWatch, (() => void) | undefined>();
  let newest = 0;

  function plan(watch: SupervisedWatch, ms: number): void {
    const cancel = clock.after(ms, () => {
      watches.set(watch, undefined);
      if (watch.position() >= newest) return;
      watch.request();
      plan(watch, limits.progressDelayMs);
    });
    watches.set(watch, cancel);
  }

  return {
    shown(revision) {
      if (revision <= newest) return;
      newest = revision;
      for (const [watch, planned] of watches) if (planned === undefined && watch.position() < revision) plan(watch, limits.progressDelayMs);
    },
    isShown: (revision) => revision <= newest,
    setBack() {
      newest = 0;
    },
    supervise(watch) {
      plan(watch, limits.progressFirstDelayMs);
      return () => {
        watches.get(watch)?.();
        watches.delete(watch);
      };
    },
  };
}

/** 3.4.31, 3.5.13, 3.6 and later: in earlier releases progress could overtake events (etcd issue 15220). */
export function reportsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  if (major !== 3 || minor > 5) return major > 3 || minor > 5;
  return (minor === 5 && patch >= 13) || (minor === 4 && patch >= 31);
}
