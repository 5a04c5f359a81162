/** Several stores as one: each key belongs to one of them, by the beginning of the key. */
import { append } from "../../core/append.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { placeOf } from "../../kernel/conversion/converted-kinds.ts";
import { compareKeys } from "../../kernel/store/bytes.ts";
import type { Entry, Listing, Page, Range, Store } from "../../kernel/store/store.ts";
import type { EtcdPlaces } from "../config/server-overrides.ts";

/** The keys that are in another store than the first. */
export interface Route {
  /** With a slash at the end: `/registry/events/`. No route's prefix begins with that of another. */
  readonly prefix: string;
  /** The number of the store. */
  readonly store: number;
}

/** The routes of the kinds of a catalog, in the order of their keys. */
export function routesOf(places: EtcdPlaces, prefix: string, { stored }: Pick<Catalog, "stored">): readonly Route[] {
  const found = new Map<string, number>();
  for (const kind of stored) {
    const store = places.of(kind);
    if (store === 0) continue;
    // The keys of a converted kind are others above the conversion than below it.
    for (const under of [kind.under, placeOf(kind)]) found.set(`${prefix}/${under}/`, store);
  }
  return [...found].map(([prefix, store]) => ({ prefix, store })).toSorted((one, other) => compareKeys(one.prefix, other.prefix));
}

/** The routes under the catalog that is in force. */
export function liveRoutes(places: EtcdPlaces, prefix: string, catalog: () => Pick<Catalog, "stored">): () => readonly Route[] {
  const known = new WeakMap<Pick<Catalog, "stored">, readonly Route[]>();
  return () => {
    const current = catalog(), routes = known.get(current) ?? routesOf(places, prefix, current);
    known.set(current, routes);
    return routes;
  };
}

/**
 * A key is read and written in the store of its route. A list of a wider range has the keys of all its stores, in order, with the revision of the first:
 *
 *   first store    /registry/configmaps/...                        /registry/pods/...
 *   route to 1                               /registry/events/...
 *
 * What the first store has below a route is not seen. A watch is that of one store: a cache has its own for each.
 */
export function routedStore(stores: readonly [Store, ...Store[]], routes: () => readonly Route[]): Store {
  const [first] = stores;
  const storeOf = (key: string) => stores[routes().find(({ prefix }) => key.startsWith(prefix))?.store ?? 0] ?? first;
  return {
    get: (key, signal) => storeOf(key).get(key, signal),
    list: routedList(stores, routes),
    // A wider range has parts in several stores, which are read as lists.
    async stream(range, at, signal) {
      const isInOne = !routes().some(({ prefix }) => prefix !== range.prefix && prefix.startsWith(range.prefix));
      return isInOne ? await storeOf(range.prefix).stream?.(range, at, signal) : undefined;
    },
    newest: () => undefined,
    commit: (change) => storeOf(change.key).commit(change),
    watch: (range, from, signal) => storeOf(range.prefix).watch(range, from, signal),
    claim: (key, writes, value) => first.claim(key, writes, value),
    compact: (revision) => first.compact(revision),
    async size() {
      return (await Promise.all(stores.map((store) => store.size()))).reduce((sum, bytes) => sum + bytes, 0);
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

/** The lists of `routedStore`. */
export function routedList(stores: readonly Pick<Store, "list">[], routes: () => readonly Route[]): Store["list"] {
  return async (range, page = {}) => {
    const all = routes(), own = all.find(({ prefix }) => range.prefix.startsWith(prefix));
    const inner = all.filter(({ prefix }) => prefix.startsWith(range.prefix));
    const parts = own === undefined ? partsOf(range, inner) : [{ store: own.store, range }];
    const [only = { store: 0, range }] = parts;
    return parts.length > 1 ? await listParts(stores, parts, page) : await stores[only.store]!.list(only.range, page);
  };
}

interface Part {
  readonly store: number;
  readonly range: Range;
}

/** Greater than every key with a prefix: no name of an object begins with this character. */
const last = "\u{10ffff}";

/** The ranges of single stores that make a range, in order. */
function partsOf(range: Range, inner: readonly Route[]): readonly Part[] {
  const parts: Part[] = [];
  const add = (store: number, prefix: string, bounds: Pick<Range, "after" | "upTo">) => {
    const after = greater(bounds.after, range.after), upTo = less(bounds.upTo, range.upTo);
    if (after !== undefined && upTo !== undefined && compareKeys(after, upTo) >= 0) return;
    parts.push({ store, range: { prefix, ...(after === undefined ? {} : { after }), ...(upTo === undefined ? {} : { upTo }) } });
  };
  let from: string | undefined;
  for (const { prefix, store } of inner) {
    add(0, range.prefix, { ...(from === undefined ? {} : { after: from }), upTo: prefix });
    from = prefix + last;
    add(store, prefix, { after: prefix, upTo: from });
  }
  add(0, range.prefix, from === undefined ? {} : { after: from });
  return parts;
}

async function listParts(stores: readonly Pick<Store, "list">[], parts: readonly Part[], page: Page): Promise<Listing> {
  const { limit, at, ...rest } = page, entries: Entry[] = [];
  let count = 0, revision: number | undefined;
  for (const { store, range } of parts) {
    const left = limit === undefined ? undefined : limit - entries.length;
    const isFull = left !== undefined && left <= 0;
    // A page without a count need not say how many entries follow, but whether there may be some.
    if (isFull && page.counted === false && revision !== undefined) return { entries, count: count + 1, revision };
    const asked = {
      ...rest,
      ...(left === undefined ? {} : { limit: Math.max(1, left) }),
      ...(at !== undefined && store === 0 ? { at } : {}),
    };
    const listing = await stores[store]!.list(range, asked);
    if (!isFull) append(entries, listing.entries);
    count += listing.count;
    if (store === 0) revision ??= listing.revision;
  }
  return { entries, count, revision: revision! }; // Of several parts, every second one is of the first store.
}

function greater(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareKeys(one, other) > 0 ? one : other;
}

function less(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareKeys(one, other) < 0 ? one : other;
}
