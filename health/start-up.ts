/**
 * What has to be done before a server is whole: hooks that run once after it has begun to listen, and informers that have to see
 * what there is. Names and reasons are upstream's.
 *
 *   starting ──> whole        It stays whole: what comes with another configuration, or begins anew because this server was elected,
 *                             is told under its own path and no reason to send requests elsewhere, or to start the server again.
 */
import type { Check } from "./health.ts";

export interface StartUp {
  /** `poststarthook/<name>`: not finished until it is, and finished from then on. */
  hook(name: string): Check;
  finished(name: string): void;
  /** The server is whole from now on, if all of these hooks are finished and informers have seen what there is. */
  settle(names: readonly string[]): void;
  /** Resolves once all of these hooks are finished. */
  all(names: readonly string[]): Promise<void>;
  /** Nobody follows anything any more: all owners begin anew. */
  cleared(): void;
  /** The owner follows objects of a kind; the function that is returned says that it has seen what there was. */
  follows(owner: string, kind: string): () => void;
  /** Whether everything that the owner follows has been seen. */
  isSynced(owner: string): boolean;
  /** `informer-sync`, over all owners. */
  readonly informers: Check;
}

export function startUp(): StartUp {
  const done = new Set<string>();
  let waiting: readonly (() => boolean)[] = [];
  /** By owner: kinds, and whether what there was has been seen. */
  const followed = new Map<string, Map<string, boolean>>();
  const unseen = () => [...followed.values()].flatMap((kinds) => [...kinds].filter(([, seen]) => !seen).map(([kind]) => kind));
  let isWhole = false;
  return {
    hook: (name) => ({
      name: `poststarthook/${name}`,
      aside: () => isWhole && !done.has(name),
      check: () => done.has(name) ? Promise.resolve() : Promise.reject(new Error("not finished")),
    }),
    finished(name) {
      done.add(name);
      waiting = waiting.filter((isOver) => !isOver());
    },
    settle(names) {
      isWhole ||= names.every((name) => done.has(name)) && unseen().length === 0;
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
    cleared: () => followed.clear(),
    follows(owner, kind) {
      const kinds = followed.get(owner) ?? new Map<string, boolean>();
      followed.set(owner, kinds);
      // What has been seen once stays seen while the owner lives: a watch that begins again goes on from there.
      kinds.set(kind, kinds.get(kind) ?? false);
      return () => void kinds.set(kind, true);
    },
    isSynced: (owner) => [...followed.get(owner)?.values() ?? []].every((seen) => seen),
    informers: {
      name: "informer-sync",
      aside: () => isWhole && unseen().length > 0,
      check() {
        const open = unseen();
        if (open.length === 0) return Promise.resolve();
        return Promise.reject(new Error(`${open.length} informers not started yet: [${open.join(" ")}]`));
      },
    },
  };
}

/** The check as liveness sees it: well whatever it says until `isOver` (the grace period is), so that a slow start is no reason to
 *  start again. */
export function graceful(check: Check, isOver: () => boolean): Check {
  return { ...check, check: (signal) => isOver() ? check.check(signal) : Promise.resolve() };
}

/** How long the log may be silent about being written before it counts as stuck, and how often it is asked (upstream's times). */
export const flushEveryMs = 60_000;
const flushMsMax = 2 * flushEveryMs;

/** `log`: whether what was logged is written. `flushed` says that it was, just now; `now` is in milliseconds and never goes back. */
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
