/** Faults of the store, for the log, the readiness check and the metrics: each is reported once when it begins and once when it ends. */
import type { Clock } from "../../core/async.ts";

/**
 * - `full`: no space for creates and updates; reads continue, and deletions as far as possible.
 * - `failing`: the file of the embedded store cannot be written or read.
 * - `unreachable`: no endpoint of etcd answers, or no connection can be made.
 * - `member`: one of several endpoints does not answer.
 * - `refused`: etcd rejects requests for lack of rights or authentication.
 */
export type FaultKind = "full" | "failing" | "unreachable" | "member" | "refused";
export const faultKinds: readonly FaultKind[] = Object.freeze(["failing", "full", "member", "refused", "unreachable"]);

export interface Fault {
  readonly kind: FaultKind;
  /** The path of the store's file, or the address of etcd. */
  readonly of: string;
  /** The store and its state: `etcd at https://10.0.0.1:2379 unreachable`. */
  readonly state: string;
  /** The store and its state afterwards: `etcd at https://10.0.0.1:2379 is back`. */
  readonly over: string;
  /** The message of the underlying error. */
  readonly cause: string;
  /** What an operator can do, with the section of the operators' guide. */
  readonly advice: string;
  /** Whether the server reports that it is not ready during the fault, although the store answers. */
  readonly unready?: boolean;
}
export interface ActiveFault extends Fault {
  /** The time when the fault began, in milliseconds since 1970. */
  readonly since: number;
}

export interface Faults {
  /** Reports a fault, unless one of this kind is already recorded for the same file or address. */
  begin(fault: Fault): void;
  /** Reports the end of a fault, if it was recorded. */
  end(kind: FaultKind, of: string): void;
  /** The faults that exist now, oldest first. */
  readonly current: readonly ActiveFault[];
}

export interface FaultEvents {
  readonly begun: (fault: ActiveFault) => void;
  readonly ended: (fault: ActiveFault, afterMs: number) => void;
}

export function faultsOf(clock: Pick<Clock, "now">, { begun, ended }: FaultEvents): Faults {
  const known = new Map<string, ActiveFault>();
  const keyOf = (kind: FaultKind, of: string) => `${kind} ${of}`;
  return {
    begin(fault) {
      const key = keyOf(fault.kind, fault.of);
      if (known.has(key)) return;
      const since = { ...fault, since: clock.now() };
      known.set(key, since);
      begun(since);
    },
    end(kind, of) {
      const key = keyOf(kind, of);
      const fault = known.get(key);
      if (fault === undefined) return;
      known.delete(key);
      ended(fault, clock.now() - fault.since);
    },
    get current() {
      return [...known.values()];
    },
  };
}

/** Discards all reports: for stores in tests and tools. */
export const noFaults: Faults = Object.freeze({ begin() {}, end() {}, current: Object.freeze([]) });

/** Returns a text such as `etcd at https://10.0.0.1:2379 unreachable since 2026-11-22T03:00:00.000Z: connection refused`. */
export function faultText({ state, since, cause }: ActiveFault): string {
  return `${state} since ${new Date(since).toISOString()}: ${cause}`;
}

const stopping: ReadonlySet<FaultKind> = new Set(["failing", "refused", "unreachable"]);
/** Returns the text of the faults during which the store does not answer; undefined if there are none. */
export function troubleText({ current }: Pick<Faults, "current">): string | undefined {
  return current.filter(({ kind }) => stopping.has(kind)).map(faultText).join("; ") || undefined;
}
