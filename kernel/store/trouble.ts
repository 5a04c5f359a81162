/** Faults of the store, for the log, the readiness check and the metrics: each is reported once when it begins and once when it ends. */
import type { Clock } from "../../core/async.ts";

/**
 * - `full`: no space for creates and updates; reads continue, and deletions as far as possible.
 * - `failing`: the file of the embedded store cannot be written or read.
 * - `unreachable`: no endpoint of etcd answers, or no connection can be made.
 * - `member`: one of several endpoints does not answer.
 * - `refused`: etcd rejects requests for lack of rights or authentication.
 */
export type TroubleKind = "full" | "failing" | "unreachable" | "member" | "refused";
export const troubleKinds: readonly TroubleKind[] = Object.freeze(["failing", "full", "member", "refused", "unreachable"]);

export interface Trouble {
  readonly kind: TroubleKind;
  /** The file, or the address of etcd. */
  readonly of: string;
  /** The store and its state: `etcd at https://10.0.0.1:2379 unreachable`. */
  readonly state: string;
  /** The store and its state afterwards: `etcd at https://10.0.0.1:2379 is back`. */
  readonly over: string;
  /** The message of the underlying error. */
  readonly cause: string;
  /** What an operator can do, with the section of the operators' guide. */
  readonly advice: string;
  /** Whether the server is not ready during the fault, although the store answers. */
  readonly unready?: boolean;
}
export interface SinceTrouble extends Trouble {
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface Troubles {
  /** Reports a fault, unless one of this kind is already recorded for the same file or address. */
  begin(trouble: Trouble): void;
  /** Reports the end of a fault, if it was recorded. */
  end(kind: TroubleKind, of: string): void;
  /** Present faults, oldest first. */
  readonly current: readonly SinceTrouble[];
}

export interface TroubleEvents {
  readonly begun: (trouble: SinceTrouble) => void;
  readonly ended: (trouble: SinceTrouble, afterMs: number) => void;
}

export function troublesOf(clock: Pick<Clock, "now">, { begun, ended }: TroubleEvents): Troubles {
  const known = new Map<string, SinceTrouble>();
  const keyOf = (kind: TroubleKind, of: string) => `${kind} ${of}`;
  return {
    begin(trouble) {
      const key = keyOf(trouble.kind, trouble.of);
      if (known.has(key)) return;
      const since = { ...trouble, since: clock.now() };
      known.set(key, since);
      begun(since);
    },
    end(kind, of) {
      const key = keyOf(kind, of);
      const trouble = known.get(key);
      if (trouble === undefined) return;
      known.delete(key);
      ended(trouble, clock.now() - trouble.since);
    },
    get current() {
      return [...known.values()];
    },
  };
}

/** Discards all reports: for stores in tests and tools. */
export const untroubled: Troubles = Object.freeze({ begin() {}, end() {}, current: Object.freeze([]) });

/** `etcd at https://10.0.0.1:2379 unreachable since 2026-11-22T03:00:00.000Z: connection refused`. */
export function troubleText({ state, since, cause }: SinceTrouble): string {
  return `${state} since ${new Date(since).toISOString()}: ${cause}`;
}
