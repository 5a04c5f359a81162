/**
 * Optimistic writes to a state that may be out of date. The store rejects a commit to an old state and returns the current one. But a state
 * from memory may also cause a rejection, or an unchanged object, without a commit. Such a result is returned only after the store has
 * confirmed that the state is the newest:
 *
 *   memory ──> attempt ──> committed                    the state was the newest: done
 *                     ├──> lost                         attempt with the state that the store returned
 *                     └──> rejected or unchanged ──> read the store ──> the same revision: return the result
 *                                                                  └──> another: attempt with that state
 */
import { StatusError } from "../../core/status-error.ts";
import { checkWeight, type RequestContext } from "../request-context.ts";
import { Item } from "../objects/objects.ts";
import type { Live } from "../reads/reads.ts";
import type { Entry } from "../store/store.ts";
import { takeBack } from "./request-hook-context.ts";

export type Tried<T> =
  | {
    readonly tag: "done";
    readonly result: T;
    /** Whether there was a commit. The store accepts a commit only for the newest state. */
    readonly committed: boolean;
  }
  | { readonly tag: "lost"; readonly found: Entry | undefined };

/** The state to which a write applies, if the object exists. */
export type Start = Live & { readonly item: Item };

/**
 * Repeats `attempt` with each newer state until it succeeds or the request's deadline ends it. Resolves with undefined if the object was
 * deleted.
 */
export async function guaranteedUpdate<T>(
  call: RequestContext,
  { item, renew }: Start,
  attempt: (current: Item) => Promise<Tried<T>>,
): Promise<T | undefined> {
  let current = item;
  let confirm = renew;
  for (;;) {
    checkWeight(call, current);
    const tried = await outcome(() => attempt(current));
    let found: Item | undefined;
    await takeBack(call, tried.tag === "done" && tried.committed);
    if (tried.tag === "lost") {
      found = tried.found && new Item(call.endpoint.stored, tried.found);
    } else {
      if (confirm === undefined || (tried.tag === "done" && tried.committed)) return answerOf(tried);
      found = await confirm();
      if (found?.revision === current.revision) return answerOf(tried);
    }
    if (found === undefined) return undefined;
    // The deadline is the only bound on retries, so that each of many concurrent writers succeeds.
    call.deadline.signal.throwIfAborted();
    [current, confirm] = [found, undefined];
  }
}

type Refused = { readonly tag: "refused"; readonly error: StatusError };

async function outcome<T>(attempt: () => Promise<Tried<T>>): Promise<Tried<T> | Refused> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof StatusError) return { tag: "refused", error };
    throw error;
  }
}

function answerOf<T>(tried: (Tried<T> & { tag: "done" }) | Refused): T {
  if (tried.tag === "refused") throw tried.error;
  return tried.result;
}
