/** Commits the change of a request. */
import type { RequestContext } from "../request-context.ts";
import type { Change, Commit } from "../store/store.ts";

/** Commits a change. Afterwards the request stays in this thread, unless the store holds another state than expected. */
export async function commit({ heavy, backend }: Pick<RequestContext, "heavy" | "backend">, change: Change): Promise<Commit> {
  heavy?.changes("an object");
  const outcome = await backend.store.commit(change);
  if (!outcome.done) heavy?.isUndone();
  return outcome;
}
