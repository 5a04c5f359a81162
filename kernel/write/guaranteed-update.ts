/**
 * Writes on top of a state that may be out of date before they are done. The store says so by refusing the commit, and hands back
 * what is there; but a state that came from memory may also be the reason why a write is refused, or changes nothing, and then
 * nothing has asked the store. So such a state is not reported before the store has confirmed that it is the newest:
 *
 *   memory ──> try ──> committed                    it was the newest: done
 *                 ├──> lost                         try on top of what the store hands back
 *                 └──> refused, nothing to write ──> read the store ──> the same revision: that is the answer
 *                                                               └──> another: try on top of it
 */
import { StatusError } from "../../core/status-error.ts";
import { checkWeight, type RequestContext } from "../request-context.ts";
import { Item } from "../objects/objects.ts";
import type { Live } from "../reads/reads.ts";
import type { Entry } from "../store/store.ts";

export type Tried<T> =
  | {
    readonly tag: "done";
    readonly result: T; /** By a commit, which the store takes on top of the newest state only. */
    readonly committed: boolean;
  }
  | { readonly tag: "lost"; readonly found: Entry | undefined };

/** What a write begins with, where there is something. */
export type Start = Live & { readonly item: Item };

/** Tries on top of every newer state, for as long as the request lasts; undefined once there is none any more. */
export async function guaranteedUpdate<T>(
  call: RequestContext,
  { item, renew }: Start,
  attempt: (current: Item) => Promise<Tried<T>>,
): Promise<T | undefined> {
  let current = item;
  let unsure = renew;
  for (;;) {
    // A collection's deletion may have changed something already.
    if (call.info.verb !== "deletecollection") checkWeight(call, current);
    const tried = await outcome(() => attempt(current));
    let found: Item | undefined;
    if (tried.tag === "lost") found = tried.found && new Item(call.endpoint.stored, tried.found);
    else {
      if (unsure === undefined || (tried.tag === "done" && tried.committed)) return answerOf(tried);
      found = await unsure();
      if (found?.revision === current.revision) return answerOf(tried);
    }
    if (found === undefined) return undefined;
    // However many write at once, each gets its turn while its request lasts.
    call.deadline.signal.throwIfAborted();
    [current, unsure] = [found, undefined];
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
