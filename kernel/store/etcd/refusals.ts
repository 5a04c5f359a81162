/** Tracks whether etcd accepts reads and writes. A fault is reported once when it begins to reject them, and ended once. */
import { withoutUser } from "../../../protocols/without-user.ts";
import { guide } from "../../../core/guide.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { isNoSpace } from "../../../protocols/etcd/errors.ts";
import { toStoreError } from "./store-error.ts";
import type { Fault, Faults } from "../fault.ts";

export interface Refusals {
  /** Records the end of a read, with its error if it failed. */
  read(error?: unknown): void;
  /** Records the end of a write of a value, with its error if it failed. */
  write(error?: unknown): void;
}

export function refusalsOf(endpoints: readonly string[], faults: Faults): Refusals {
  const etcd = `etcd at ${endpoints.map(withoutUser).join(", ")}`;
  const noted: Record<"reads" | "writes", Fault[]> = { reads: [], writes: [] };

  function note(what: "reads" | "writes", error: unknown): void {
    if (error === undefined) {
      for (const { kind, of } of noted[what].splice(0)) faults.end(kind, of);
      return;
    }
    if (toStoreError(error).code !== "refused") return;
    const fault = isNoSpace(error) ? fullFault(etcd, error) : refusalFault(etcd, what, error);
    if (noted[what].some(({ kind }) => kind === fault.kind)) return;
    noted[what].push(fault);
    faults.begin(fault);
  }
  // In the usual case a call succeeds while no fault is recorded; it then takes no further work.
  return {
    read: (error) => (error !== undefined || noted.reads.length > 0) && note("reads", error),
    write: (error) => (error !== undefined || noted.writes.length > 0) && note("writes", error),
  };
}

function fullFault(etcd: string, error: unknown): Fault {
  const state = `${etcd} takes no writes`;
  return { kind: "full", of: etcd, state, over: `${etcd} takes writes again`, cause: reasonOf(error), advice: guide("etcd-is-full") };
}

function refusalFault(etcd: string, what: string, error: unknown): Fault {
  const state = `${etcd} refuses ${what}`, over = `${etcd} takes ${what} again`;
  return { kind: "refused", of: `${what} of ${etcd}`, state, over, cause: reasonOf(error), advice: guide("etcd-refuses") };
}
