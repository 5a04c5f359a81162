import type { Backend } from "../request-context.ts";
import { directReads } from "./direct-reads.ts";
import type { Reads } from "./reads.ts";

/** Where requests read from: the cache, or the store itself where the server has none. */
export function readsOf({ reads, store }: Backend): Reads {
  return reads ?? directReads(store);
}
