/** Whether etcd accepts reads and writes: a fault is reported once when it begins to reject them, and ended once. */
import { withoutUser } from "../../../core/without-user.ts";
import { guide } from "../../../core/guide.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { isNoSpace, toStoreError } from "./errors.ts";
import type { Trouble, Troubles } from "../trouble.ts";

export interface Refusals {
  /** Records the end of a read, with its error if it failed. */
  read(error?: unknown): void;
  /** Records the end of a write of a value, with its error if it failed. */
  write(error?: unknown): void;
}

export function refusalsOf(endpoints: readonly string[], troubles: Troubles): Refusals {
  const etcd = `etcd at ${endpoints.map(withoutUser).join(", ")}`;
  const noted: Record<"reads" | "writes", Trouble[]> = { reads: [], writes: [] };

  function note(what: "reads" | "writes", error: unknown): void {
    if (error === undefined) {
      for (const { kind, of } of noted[what].splice(0)) troubles.end(kind, of);
      return;
    }
    if (toStoreError(error).code !== "refused") return;
    const trouble = isNoSpace(error) ? fullTrouble(etcd, error) : refusedTrouble(etcd, what, error);
    if (noted[what].some(({ kind }) => kind === trouble.kind)) return;
    noted[what].push(trouble);
    troubles.begin(trouble);
  }
  // Nearly every call succeeds while no fault is recorded.
  return {
    read: (error) => (error !== undefined || noted.reads.length > 0) && note("reads", error),
    write: (error) => (error !== undefined || noted.writes.length > 0) && note("writes", error),
  };
}

function fullTrouble(etcd: string, error: unknown): Trouble {
  const state = `${etcd} takes no writes`;
  return { kind: "full", of: etcd, state, over: `${etcd} takes writes again`, cause: reasonOf(error), advice: guide("etcd-is-full") };
}

function refusedTrouble(etcd: string, what: string, error: unknown): Trouble {
  const state = `${etcd} refuses ${what}`, over = `${etcd} takes ${what} again`;
  return { kind: "refused", of: `${what} of ${etcd}`, state, over, cause: reasonOf(error), advice: guide("etcd-refuses") };
}
