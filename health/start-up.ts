/**
 * The state of start-up: post-start hooks, which run once after the server listens, and informers, which must finish their first
 * list. Check names and reasons are upstream's (apiserver/pkg/server/hooks.go and informer-sync).
 *
 *   starting ──> started      `started` is final. Hooks and informers that begin later (after a reload or a leader election) are
 *                             shown at their own paths only. They are no reason to take the server out of service or to restart it.
 */
import type { Check } from "./health.ts";

export interface StartUp {
  /** A check of a hook, by default `poststarthook/<name>`. It fails until `finished(name)`. */
  hook(name: string, check?: string): Check;
  finished(name: string): void;
  /** Marks the server as started if these hooks are finished and all informers are synced; has no effect otherwise. */
  setStarted(names: readonly string[]): void;
  /** Resolves once all of these hooks are finished. */
  all(names: readonly string[]): Promise<void>;
  /** Removes all informers, because their owners are about to start again. */
  clear(): void;
  /** Adds an informer of the owner for a kind. The returned function marks it as synced. */
  addInformer(owner: string, kind: string): () => void;
  /** Whether all informers of the owner are synced. */
  isSynced(owner: string): boolean;
  /** The check `informer-sync`, over the informers of all owners. */
  readonly informers: Check;
}

/** A server without hooks and informers that is starting. */
export function startUp(): StartUp {
  const done = new Set<string>();
  let waiting: readonly (() => boolean)[] = [];
  /** By owner: kinds, and whether their informers are synced. */
  const informers = new Map<string, Map<string, boolean>>();
  const unsynced = () => [...informers.values()].flatMap((kinds) => [...kinds].filter(([, synced]) => !synced).map(([kind]) => kind));
  let isStarted = false;
  return {
    hook: (name, check = `poststarthook/${name}`) => ({
      name: check,
      omitted: () => isStarted && !done.has(name),
      check: () => done.has(name) ? Promise.resolve() : Promise.reject(new Error("not finished")),
    }),
    finished(name) {
      done.add(name);
      waiting = waiting.filter((isOver) => !isOver());
    },
    setStarted(names) {
      isStarted ||= names.every((name) => done.has(name)) && unsynced().length === 0;
    },
    all: (names) =>
      new Promise((resolve) => {
        const isOver = () => {
          const over = names.every((name) => done.has(name));
          if (over) resolve();
          return over;
        };
        if (!isOver()) waiting = [...waiting, isOver];
      }),
    clear: () => informers.clear(),
    addInformer(owner, kind) {
      const kinds = informers.get(owner) ?? new Map<string, boolean>();
      informers.set(owner, kinds);
      // A synced kind stays synced while the owner runs: a watch that restarts continues from its last revision.
      kinds.set(kind, kinds.get(kind) ?? false);
      return () => void kinds.set(kind, true);
    },
    isSynced: (owner) => [...informers.get(owner)?.values() ?? []].every((synced) => synced),
    informers: {
      name: "informer-sync",
      omitted: () => isStarted && unsynced().length > 0,
      check() {
        const open = unsynced();
        if (open.length === 0) return Promise.resolve();
        return Promise.reject(new Error(`${open.length} informers not started yet: [${open.join(" ")}]`));
      },
    },
  };
}

/** The check for /livez: it passes until the grace period is over (`isOver`), so that a slow start does not cause a restart. */
export function graceful(check: Check, isOver: () => boolean): Check {
  return { ...check, check: (signal) => isOver() ? check.check(signal) : Promise.resolve() };
}

/** Interval of log flushes in milliseconds. The `log` check fails after two intervals without a flush, as upstream's. */
export const flushEveryMs = 60_000;
const flushMsMax = 2 * flushEveryMs;

/** The check `log`: fails if the log was not written recently. Call `flushed` after each write. `now` is a monotonic clock in
 *  milliseconds. */
export function logCheck(now: () => number): { readonly check: Check; readonly flushed: () => void } {
  let last = now();
  return {
    check: {
      name: "log",
      check: () => now() - last < flushMsMax ? Promise.resolve() : Promise.reject(new Error("logging blocked")),
    },
    flushed: () => {
      last = now();
    },
  };
}
