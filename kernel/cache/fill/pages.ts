/** Reads all entries below a prefix from the store, in pages of bounded size. */
import type { Entry, Listing, Revision, Store } from "../../store/store.ts";
import { bound } from "../../../core/bound.ts";
import { fillPageEntriesMax } from "../bounds.ts";

/** Maximum bytes of one page that is read when the cache is filled. */
const fillPageBytes = bound(4 * 1024 * 1024);
/** Number of entries of the first page when the cache is filled. The size of later pages follows from the size of the entries. */
export const fillPageEntriesFirst = bound(16);
/** Number of keys below a prefix above which a fill of the cache reads the keys first, and then the entries in ranges between keys. */
export const fillCountedMax = bound(20_000);
/** Number of keys that a fill of the cache reads in one request where it reads keys before entries. */
const fillKeysAhead = bound(50_000);

interface Read {
  readonly listing: Promise<Listing>;
  /** The last key of the page's range, if it is known. */
  readonly upTo: string | undefined;
}

/**
 * Pages of the entries below a prefix, in the order of their keys; at least one page, which may be empty. `at` is the revision of all
 * pages; if undefined, each page has the newest one. The next page is read while the caller works on the one before.
 *
 * etcd counts all keys of a range, so each page of a large kind would cost as much as the number of keys after it. There the entries are read as a stream. A
 * store without one has the keys read first, in large pages, and then the entries in ranges between two of these keys.
 */
export async function* pagesOf(
  store: Pick<Store, "list" | "stream">,
  prefix: string,
  at: Revision | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[], void> {
  const page = (limit: number) => ({ limit, ...(at === undefined ? {} : { at }), counted: false, signal });
  const rangeOf = (after?: string, upTo?: string) => ({
    prefix,
    ...(after === undefined ? {} : { after }),
    ...(upTo === undefined ? {} : { upTo }),
  });
  const endOf = keysAhead((after) => store.list(rangeOf(after), { ...page(fillKeysAhead), valued: false }));
  const plain = async (limit: number, after?: string): Promise<Read> => ({
    listing: store.list(rangeOf(after), page(limit)),
    upTo: undefined,
  });
  const bounded = async (limit: number, after: string): Promise<Read> => {
    const upTo = await endOf(after, limit);
    return { listing: store.list(rangeOf(after, upTo), page(limit)), upTo };
  };
  let isLarge = false, hasAsked = false;
  for (let next = plain(fillPageEntriesFirst);;) {
    const { listing, upTo } = await next;
    const { entries, count } = await listing;
    const after = upTo ?? entries.at(-1)?.key;
    if (after === undefined || (upTo === undefined && entries.length === count)) {
      yield entries;
      return;
    }
    // Keys are read ahead only at one revision: at a later one there may be keys between them.
    isLarge ||= at !== undefined && count > fillCountedMax;
    if (isLarge && at !== undefined && store.stream !== undefined && !hasAsked) {
      hasAsked = true;
      const rest = await store.stream(rangeOf(after), at, signal);
      if (rest !== undefined) {
        yield entries;
        for await (const piece of rest) {
          for (let from = 0; from < piece.length; from += fillPageEntriesMax) yield piece.slice(from, from + fillPageEntriesMax);
        }
        return;
      }
    }
    const bytes = entries.reduce((sum, { value }) => sum + value.length, 0);
    const fitting = Math.floor(fillPageBytes * entries.length / Math.max(1, bytes));
    const limit = Math.min(fillPageEntriesMax, Math.max(1, fitting));
    next = isLarge ? bounded(limit, after) : plain(limit, after);
    // The caller may end before it takes this page; a failure must not be unhandled then.
    next.then((read) => read.listing).catch(() => {});
    yield entries;
  }
}

/** Returns a function that finds the last key of a page of `limit` entries after a key; undefined for the last page. */
function keysAhead(read: (after: string) => Promise<Listing>): (after: string, limit: number) => Promise<string | undefined> {
  let keys: readonly Entry[] = [], used = 0, hasMore = true;
  return async (after, limit) => {
    if (hasMore && used + limit >= keys.length) {
      const { entries, count } = await read(after);
      [keys, used, hasMore] = [entries, 0, count > entries.length];
    }
    used += limit;
    return used >= keys.length ? undefined : keys[used - 1]!.key;
  };
}
