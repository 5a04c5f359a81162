/** Reads all entries below a prefix from the store, in pages of bounded size. */
import { limits } from "../../../core/limits.ts";
import type { Entry, Revision, Store } from "../../store/store.ts";

/**
 * Pages of the entries below a prefix, in the order of their keys; at least one page, which may be empty. `at`: the revision of all; undefined:
 * the newest of each page. The next page is read while the caller works on the one before.
 */
export async function* pagesOf(
  store: Pick<Store, "list">,
  prefix: string,
  at: Revision | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[], void> {
  const read = (limit: number, after?: string) => {
    const page = store.list({ prefix, ...(after === undefined ? {} : { after }) }, {
      limit,
      ...(at === undefined ? {} : { at }),
      counted: false,
      signal,
    });
    // The caller may end before it takes this page.
    page.catch(() => {});
    return page;
  };
  for (let next = read(limits.fillPageEntriesFirst);;) {
    const { entries, count } = await next;
    const after = entries.at(-1)?.key;
    if (after === undefined || entries.length === count) {
      yield entries;
      return;
    }
    const bytes = entries.reduce((sum, { value }) => sum + value.length, 0);
    const fitting = Math.floor(limits.fillPageBytes * entries.length / Math.max(1, bytes));
    next = read(Math.min(limits.fillPageEntriesMax, Math.max(1, fitting)), after);
    yield entries;
  }
}
