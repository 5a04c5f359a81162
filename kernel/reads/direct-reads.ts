/** Reads from the store. It serves kinds without a cache, and tests use it as the reference for the cache. */
import type { Names } from "../../core/names.ts";
import { StatusError, statusOf } from "../../core/status-error.ts";
import type { StoredKind } from "../catalog/catalog.ts";
import { Item } from "../objects/objects.ts";
import type { ListOptions } from "../request/options.ts";
import {
  type Age,
  type Collection,
  continueAfter,
  expiredList,
  isUncached,
  type ListPage,
  namedKey,
  neverBegun,
  nextBookmark,
  planList,
  type Reads,
  revisionOf,
  revisionOfGet,
  type Selects,
  selects,
  startsWithState,
  type Timed,
  tooLargeRevision,
  type Waiter,
  watchFailure,
  type Watching,
} from "./reads.ts";
import { type Clock, elapsedClock } from "../../core/async.ts";
import { type Batch, type Listing, type Range, type Revision, type Store, StoreError, type StoreEvent } from "../store/store.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds that a read waits for a future revision (upstream: blockTimeout). */
export const revisionWaitMs = bound(3_000);

/** Called for each list, with the number of objects that were evaluated and the number that was returned. */
export type Listed = (kind: StoredKind, evaluated: number, returned: number) => void;

const untimed: Timed = (read) => read();

export function directReads(store: Store, clock: Clock = elapsedClock, listed: Listed = () => {}): Reads {
  const source = { store, clock, listed };
  async function get(
    kind: StoredKind,
    key: string,
    resourceVersion: string,
    { signal }: Waiter,
    timed = untimed,
  ): Promise<Item | undefined> {
    const requested = revisionOfGet(kind, resourceVersion);
    const waits = !isUncached(kind);
    if (requested !== undefined && requested > 0) await waitForRevision(source, requested, key, signal, { waits, again: waits });
    return await newest(kind, key, { signal }, timed);
  }
  async function newest(kind: StoredKind, key: string, { signal }: Waiter, timed = untimed): Promise<Item | undefined> {
    const { entry } = await timed(() => store.get(key, signal));
    return entry === undefined ? undefined : new Item(kind, entry);
  }
  return {
    get,
    live: async (...args) => ({ item: await newest(...args), renew: undefined }),
    inMemory: () => undefined,
    changeMark: () => undefined,
    list: (collection, options, names, signal, timed = untimed) => timed(() => list(source, collection, options, names, signal)),
    async watch(watching) {
      const { collection: { endpoint, prefix }, signal } = watching;
      const waits = !isUncached(endpoint.stored);
      const reach = (revision: Revision) => waitForRevision(source, revision, prefix, signal, { waits, again: true });
      return await neverBegun(watching, reach) ?? interruptible(watching, (own) => watch(source, own));
    },
  };
}

/**
 * Resolves once the store has reached a revision. If `waits`, it waits as long as upstream's cache would; otherwise it reads the store
 * once. Throws 504 if the store has not reached the revision. `again` adds a retry delay to this error.
 */
async function waitForRevision(
  { store, clock }: Source,
  requested: Revision,
  key: string,
  signal: AbortSignal,
  { waits, again }: { readonly waits: boolean; readonly again: boolean },
): Promise<void> {
  const until = clock.now() + revisionWaitMs;
  for (;;) {
    const { revision } = await store.get(key, signal);
    if (revision >= requested) return;
    // The end is decided by the clock and not by a number of reads, because reads of a busy store are slow.
    if (!waits || clock.now() >= until) throw tooLargeRevision(requested, revision, again);
    await new Promise<void>((resolve) => void clock.after(250, resolve));
    signal.throwIfAborted();
  }
}

interface Source {
  readonly store: Store;
  readonly clock: Clock;
  readonly listed: Listed;
}

async function list(
  source: Source,
  collection: Collection,
  options: ListOptions,
  names: Names,
  signal: AbortSignal,
): Promise<ListPage> {
  const { store, listed } = source;
  const { endpoint, prefix } = collection;
  const { age, limit, start, key, fromStore } = planList(collection, options, names);
  const waits = !fromStore && !isUncached(endpoint.stored);
  if (age.tag === "exact" || age.tag === "notOlder") await waitForRevision(source, age.revision, prefix, signal, { waits, again: waits });
  const chosen = chosenOf(collection, options, key);
  const items: Item[] = [];
  let evaluated = 0;
  const page = (more: Omit<ListPage, "items">): ListPage => {
    listed(endpoint.stored, evaluated, items.length);
    return { items, ...more };
  };
  let revision = startRevision(age);
  let after = start === undefined ? undefined : justBefore(start);
  for (;;) {
    const listing = await listAt(store, rangeOf(prefix, after), limit, revision, options, names, signal);
    revision ??= listing.revision;
    for (const [index, entry] of listing.entries.entries()) {
      evaluated++;
      const item = new Item(endpoint.stored, entry);
      if (chosen !== undefined && !chosen(item)) continue;
      items.push(item);
      if (limit === undefined || items.length < limit) continue;
      const left = key === undefined ? listing.count - index - 1 : 0;
      if (left === 0) return page({ revision, continue: "", remaining: undefined });
      const token = continueAfter(collection, revision, entry.key, names);
      return page({ revision, continue: token, remaining: chosen === undefined ? left : undefined });
    }
    const last = listing.entries.at(-1);
    if (last === undefined || listing.entries.length === listing.count) return page({ revision, continue: "", remaining: undefined });
    after = last.key;
  }
}

function startRevision(age: Age): Revision | undefined {
  return age.tag === "exact" ? age.revision : undefined;
}
function rangeOf(prefix: string, after: string | undefined): Range {
  return { prefix, ...(after === undefined ? {} : { after }) };
}
/** Returns the predicate that the entries of a list or watch must satisfy; undefined if all entries match. */
export function chosenOf(collection: Collection, options: ListOptions, key: string | undefined): Selects | undefined {
  const chosen = selects(collection.endpoint, options);
  return key === undefined ? chosen : (item) => item.key === key && (chosen === undefined || chosen(item));
}

/**
 * Returns a string that sorts before the first key of a continued list. It is exact if the key ends with NUL, and approximate for other
 * tokens.
 */
function justBefore(start: string): string {
  const head = start.slice(0, -1);
  const last = start.charCodeAt(start.length - 1);
  return last === 0 ? head : head + String.fromCharCode(last - 1) + "\uffff";
}

async function listAt(
  store: Store,
  range: Range,
  limit: number | undefined,
  at: Revision | undefined,
  options: ListOptions,
  names: Names,
  signal: AbortSignal,
): Promise<Listing> {
  try {
    return await store.list(range, { signal, ...(limit === undefined ? {} : { limit }), ...(at === undefined ? {} : { at }) });
  } catch (error) {
    if (error instanceof StoreError && error.code === "compacted") throw expiredList(options, names);
    throw error;
  }
}

/**
 * Yields the frames that `make` generates. Its `return` first aborts the signal, because a generator that waits would otherwise return only
 * with its next frame.
 */
export function interruptible(watching: Watching, make: (watching: Watching) => AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const ending = new AbortController();
      const frames = make({ ...watching, signal: AbortSignal.any([watching.signal, ending.signal]) });
      return {
        next: () => frames.next(),
        return() {
          ending.abort();
          return frames.return(undefined);
        },
      };
    },
  };
}

/** Yields the frames of a watch: the initial state if requested, then changes and bookmarks, and an ERROR if it cannot continue. */
async function* watch(source: Source, watching: Watching): AsyncGenerator<Uint8Array> {
  const { store, clock } = source;
  const { collection, options, framing, names } = watching;
  const { endpoint, prefix, within } = collection;
  const from = revisionOf(options.resourceVersion, "watch");
  const ending = new AbortController();
  const cancel = clock.after(Math.max(0, watching.ms), () => ending.abort());
  const signal = AbortSignal.any([watching.signal, ending.signal]);
  const chosen = chosenOf(collection, options, collection.key ?? namedKey(collection, options));
  const endsAt = clock.now() + watching.ms;
  let seen = from ?? 0;
  let first = true;
  const out = (frame: Uint8Array): Uint8Array => {
    first = false;
    framing.sent(frame.length);
    return frame;
  };
  try {
    const withState = startsWithState(options, from);
    if (withState || seen === 0) {
      const all: ListOptions = { ...options, limit: 0, continue: "", resourceVersion: "", resourceVersionMatch: "" };
      const page = await list(source, collection, all, names, signal);
      seen = page.revision;
      if (withState) { for (const item of page.items) yield out(framing.frame("ADDED", item, first)); }
      if (options.sendInitialEvents === true && options.allowWatchBookmarks) yield out(framing.bookmark(seen, true, first));
    }
    let next = nextBookmark(options, clock.now(), endsAt);
    for await (const batch of withTicks(store.watch({ prefix, within }, seen, signal), clock, () => next)) {
      for (const event of batch?.events ?? []) {
        const frame = frameOf(watching, event, chosen, first);
        if (frame !== undefined) yield out(frame);
      }
      seen = Math.max(seen, batch?.revision ?? 0);
      if (next === undefined || clock.now() < next) continue;
      next = nextBookmark(options, clock.now(), endsAt);
      // A watch from a future revision gets no initial bookmark before the store has reached it.
      if (seen === from && (await store.get(prefix, signal)).revision < seen) continue;
      yield out(framing.bookmark(seen, false, first));
    }
  } catch (error) {
    if (!signal.aborted) yield out(framing.error(watchFailure(endpoint.stored, error, seen)));
  } finally {
    cancel();
    ending.abort();
  }
  const { reason } = watching.signal;
  if (reason instanceof StatusError) yield out(framing.error(statusOf(reason)));
}

/** Yields the batches of a source, and undefined at each time that `next` returns. */
async function* withTicks(source: AsyncIterable<Batch>, clock: Clock, next: () => number | undefined): AsyncGenerator<Batch | undefined> {
  const batches = source[Symbol.asyncIterator]();
  try {
    for (let coming = batches.next();;) {
      const at = next();
      let cancel = (): void => {};
      const tick = new Promise<undefined>((resolve) => {
        if (at !== undefined) cancel = clock.after(at - clock.now(), () => resolve(undefined));
      });
      // The timer is also cancelled after an error, because it would keep the process alive.
      const result = await Promise.race([coming, tick]).finally(() => cancel());
      if (result === undefined) {
        yield undefined;
        continue;
      }
      if (result.done === true) return;
      coming = batches.next();
      yield result.value;
    }
  } finally {
    // This is not awaited: a source that waits for its next batch returns only when its signal aborts, and the watch aborts it.
    batches.return?.().catch(() => {});
  }
}

/** Returns the frame of a change under the selectors. Undefined if the object matched neither before nor after the change. */
export function frameOf(
  { collection, framing }: Watching,
  event: StoreEvent,
  chosen: Selects | undefined,
  first: boolean,
): Uint8Array | undefined {
  const { stored } = collection.endpoint;
  const { key, revision } = event;
  const next = event.value === undefined ? undefined : new Item(stored, { key, revision, value: event.value });
  // The event of a deletion shows the previous object with the revision of the deletion.
  const prior = event.previous === undefined ? undefined : new Item(stored, { key, revision, value: event.previous.value });
  const sees = next !== undefined && (chosen === undefined || chosen(next));
  const saw = prior !== undefined && (chosen === undefined || chosen(prior));
  if (sees) return framing.frame(saw ? "MODIFIED" : "ADDED", next, first);
  return saw ? framing.frame("DELETED", prior, first) : undefined;
}
