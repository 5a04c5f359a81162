/** Reads all entries below a prefix from the store, in pages of bounded size. */
import { limits } from "../../../core/limits.ts";
import type { Entry, Revision, Store } from "../../store/store.ts";

/**
 * Pages of the entries below a prefix, in the order of their keys; at least one page, which may be empty. `at`: the revision of all; undefined:
 * the newest of each page.
 */
export async function* pagesOf(
  store: Store,
  prefix: string,
  at: Revision | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[], void> {
  let after: string | undefined;
  let limit: number = limits.fillPageEntriesFirst;
  for (;;) {
    const range = { prefix, ...(after === undefined ? {} : { after }) };
    const { entries, count } = await store.list(range, { limit, ...(at === undefined ? {} : { at }), counted: false, signal });
    yield entries;
    after = entries.at(-1)?.key;
    if (after === undefined || entries.length === count) return;
    const bytes = entries.reduce((sum, { value }) => sum + value.length, 0);
    limit = Math.min(limits.fillPageEntriesMax, Math.max(1, Math.floor(limits.fillPageBytes * entries.length / Math.max(1, bytes))));
  }
}
