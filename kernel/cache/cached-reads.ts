/** Reads from the cache, under the same rules as reads from the store. */
import type { Names } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import type { StoredKind } from "../catalog/catalog.ts";
import { directReads, interruptible, type Listed, revisionWaitMs } from "../reads/direct-reads.ts";
import type { Item } from "../objects/objects.ts";
import type { ListOptions } from "../request/options.ts";
import {
  type Collection,
  continueAfter,
  type Items,
  type ListPage,
  type ListPlan,
  type Live,
  neverBegun,
  planList,
  type Reads,
  revisionOfGet,
  type Timed,
  type Waiter,
  watchFailure,
  type Watching,
} from "../reads/reads.ts";
import type { Clock } from "../../core/async.ts";
import type { Revision, Store } from "../store/store.ts";
import type { SharedBlocks } from "./blocks/shared-blocks.ts";
import { allItems, someItems } from "./cached-items.ts";
import { Cursor } from "./watch/cursor.ts";
import { type CachedEntry, itemOf } from "./index/entry.ts";
import type { KeyIndex, Span } from "./index/key-index.ts";
import type { KindCache } from "./kind/kind-cache.ts";
import type { CacheMeter } from "./metrics.ts";
import { initialFrames } from "./watch/initial-frames.ts";
import type { OpenWatches } from "./watch/open-watches.ts";
import { waitForRevision } from "./wait-for-revision.ts";
import { selectionOf } from "./index/selection.ts";
import type { WatchCache } from "./watch-cache.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds that a watch of ownership waits until the cache has a new kind; then it watches the store. */
const watchJoinMs = bound(10_000);

export interface CachedReadsNeeds {
  readonly cache: WatchCache;
  readonly store: Store;
  readonly clock: Clock;
  /** Milliseconds that a read waits for a cache that is being filled. */
  readonly fillWaitMs: number;
  /** Whether lists at earlier revisions are answered from the cache (gate ListFromCacheSnapshot). */
  readonly snapshots: () => boolean;
  readonly open: OpenWatches;
  /** Compressed parts of lists, which later lists use again. */
  readonly blocks: SharedBlocks;
  /** Whether this server has written a key, or is writing it, and the event has not reached the cache. */
  readonly isWritten: (key: string) => boolean;
  /** Called for each list that is answered from the store and not from the cache. */
  readonly listedStore: Listed;
}

/** Reads that the cache answers where upstream allows it, and the store otherwise. */
export class CachedReads implements Reads {
  readonly #needs: CachedReadsNeeds;
  readonly #cache: WatchCache;
  readonly #clock: Clock;
  readonly #direct: Reads;

  constructor(needs: CachedReadsNeeds) {
    this.#needs = needs;
    this.#cache = needs.cache;
    this.#clock = needs.clock;
    this.#direct = directReads(needs.store, needs.clock, needs.listedStore);
  }
  async get(kind: StoredKind, key: string, resourceVersion: string, waiter: Waiter, timed?: Timed): Promise<Item | undefined> {
    const requested = revisionOfGet(kind, resourceVersion);
    const fromStore = () => this.#direct.get(kind, key, resourceVersion, waiter, timed);
    const known = this.#cache.kindOf(kind);
    if (known === undefined) return await fromStore();
    if (!this.#isThere(known.meter, requested)) {
      if (this.#cache.state.tag !== "current" && !(await this.#cache.waitUntilCurrent(this.#needs.fillWaitMs, waiter.signal))) {
        return await fromStore();
      }
      if (requested === undefined) {
        if (!(await this.#isNewest(known.meter, waiter))) return await this.#instead(known.meter, fromStore);
      } else await waitForRevision(this.#needs, known.meter, requested, waiter.signal);
    }
    // The kind is looked up again after each wait, because the catalog may have changed.
    const cached = this.#cache.kindOf(kind);
    if (cached === undefined || cached.hasBroken(key)) return await fromStore();
    const entry = cached.index.get(key);
    return entry === undefined ? undefined : itemOf(cached.maker, entry);
  }

  async live(kind: StoredKind, key: string, waiter: Waiter, timed?: Timed): Promise<Live> {
    const fromStore = () => this.#direct.live(kind, key, waiter, timed);
    const cached = this.#cache.state.tag === "current" ? this.#cache.kindOf(kind) : undefined;
    if (cached === undefined || cached.hasBroken(key)) return await fromStore();
    const entry = cached.index.get(key);
    // Without an entry there is no object to try the write on. An entry is out of date if this server has written or deleted its key since.
    if (!this.#cache.isNewest && (entry === undefined || this.#needs.isWritten(key))) return await fromStore();
    if (entry?.asStored === false) return await fromStore();
    const item = entry && itemOf(cached.maker, entry);
    return { item, renew: this.#cache.isNewest ? undefined : async () => (await fromStore()).item };
  }

  #heldKind({ endpoint, prefix }: Collection): KindCache | undefined {
    const cached = this.#cache.state.tag === "current" ? this.#cache.kindOf(endpoint.stored) : undefined;
    return cached === undefined || cached.hasBroken(prefix) ? undefined : cached;
  }
  inMemory(collection: Collection): readonly Item[] | undefined {
    const cached = this.#heldKind(collection), { prefix } = collection;
    if (cached === undefined) return undefined;
    if (cached.index.size === 0) return nothing;
    return [...cached.index.runs(prefix)].flatMap((run) => run.map((entry) => itemOf(cached.maker, entry)));
  }

  /** The index is an immutable value, so it is another object after each change. */
  changeMark(collection: Collection): object | undefined {
    return this.#heldKind(collection)?.index;
  }

  /** Whether the cache has reached the requested revision (undefined: the newest), so that the read need not wait. */
  #isThere(meter: CacheMeter, requested: Revision | undefined): boolean {
    if (requested === undefined ? !this.#cache.isNewest : this.#cache.state.tag !== "current" || this.#cache.revision < requested) {
      return false;
    }
    if (requested === undefined) meter.readNewest(true, false);
    meter.waited(0);
    return true;
  }

  /** Brings the cache to the newest revision. Returns false on timeout: the store must then answer. */
  async #isNewest(meter: CacheMeter, waiter: Waiter): Promise<boolean> {
    const since = this.#clock.now();
    try {
      const reached = await this.#cache.caughtUp(revisionWaitMs, waiter);
      if (reached) meter.readNewest(true, false);
      return reached;
    } catch (error) {
      meter.readNewest(false, false);
      throw error;
    } finally {
      meter.waited(this.#clock.now() - since);
    }
  }
  async #instead<T>(meter: CacheMeter, fromStore: () => Promise<T>): Promise<T> {
    try {
      const answer = await fromStore();
      meter.readNewest(true, true);
      return answer;
    } catch (error) {
      meter.readNewest(false, true);
      throw error;
    }
  }

  async list(...[collection, options, names, signal, timed]: Parameters<Reads["list"]>): Promise<ListPage> {
    // Only a list at resourceVersion 0 is answered whole.
    const inChunks = options.resourceVersion === "0" ? { ...options, resourceVersion: "" } : options;
    const fromStore = () => this.#direct.list(collection, inChunks, names, signal, timed);
    const plan = planList(collection, options, names);
    const { stored } = collection.endpoint;
    const known = this.#cache.kindOf(stored);
    if (known === undefined || plan.fromStore) return await fromStore();
    if (!(await this.#cache.waitUntilCurrent(this.#needs.fillWaitMs, signal))) {
      if (options.limit > 0 && options.labels.length === 0 && options.fields.length === 0) return await fromStore();
      throw notReady(this.#cache, this.#clock);
    }
    const { age } = plan;
    if (!this.#needs.snapshots() && (age.tag === "exact" || options.continue !== "")) return await fromStore();
    if (age.tag === "newest" && !(await this.#isNewest(known.meter, { signal }))) return await this.#instead(known.meter, fromStore);
    if (age.tag === "notOlder" || age.tag === "exact") await waitForRevision(this.#needs, known.meter, age.revision, signal);
    // No await from here on: index and revision must belong together.
    const kind = this.#cache.kindOf(stored);
    if (kind === undefined) return await fromStore();
    const revision = age.tag === "exact" ? age.revision : this.#cache.revision;
    const index = age.tag === "exact" ? kind.indexAt(revision, this.#clock.now()) : kind.index;
    // The owners of an object that cannot be read are not known: a list of ownership leaves it out.
    if (options.ownershipOnly !== true && kind.hasBroken(collection.prefix)) return allReadable(await fromStore());
    if (index === undefined) return await fromStore();
    const { page, fetched } = pageOf(index, revision, kind, collection, options, plan, names, this.#needs.blocks);
    kind.meter.listed(fetched, page.items.length);
    if (page.continue !== "" && this.#needs.snapshots()) kind.pin(revision, index, this.#clock.now());
    return page;
  }

  async watch(watching: Watching): Promise<AsyncIterable<Uint8Array>> {
    const { collection, signal } = watching;
    const { endpoint } = collection;
    // The garbage collector watches each new kind. Its watch can wait, and would otherwise cost the store as long as it lasts.
    if (watching.watchScope === "ownership" || watching.watchScope === "owned") {
      await this.#cache.waitForKind(endpoint.stored, watchJoinMs, signal);
    }
    const known = this.#cache.kindOf(endpoint.stored);
    if (known === undefined) return interruptible(watching, (own) => this.#watchStore(own));
    if (!(await this.#cache.waitUntilCurrent(this.#needs.fillWaitMs, signal))) throw notReady(this.#cache, this.#clock);
    const reply = await neverBegun(watching, (revision) => waitForRevision(this.#needs, known.meter, revision, signal));
    if (reply !== undefined) return reply;
    // The kind is looked up again after each wait, because the catalog may have changed.
    const kind = this.#cache.kindOf(endpoint.stored);
    const passesOver = watching.watchScope === "owned";
    if (kind === undefined || (!passesOver && kind.hasBroken(collection.prefix))) {
      return interruptible(watching, (own) => this.#watchStore(own));
    }
    return this.#follow(kind, watching);
  }
  /** Opens the watch of a kind that is cached. */
  #follow(kind: KindCache, watching: Watching): Cursor {
    const { collection, framing } = watching;
    const { endpoint } = collection;
    let leave = (): void => {};
    const cursor: Cursor = new Cursor({
      kind,
      selection: selectionOf(collection, watching.options, watching.watchScope),
      watching,
      clock: this.#clock,
      progress: () => this.#cache.revision,
      onSlow: () => {
        kind.meter.slow();
        watching.tooSlow?.();
      },
      initial: (cursor) => initialFrames(this.#needs, kind, watching, cursor),
      failure: (error, seen) => framing.error(watchFailure(endpoint.stored, error, seen)),
      onEnd: () => leave(),
    });
    if (!cursor.signal.aborted) {
      leave = this.#needs.open.add({
        endpoint,
        end: (because) => because === undefined ? cursor.end() : cursor.fail(because),
      });
    }
    return cursor;
  }
  async *#watchStore(watching: Watching): AsyncGenerator<Uint8Array> {
    const ending = new AbortController();
    const leave = this.#needs.open.add({ endpoint: watching.collection.endpoint, end: (because) => ending.abort(because) });
    try {
      yield* await this.#direct.watch({ ...watching, signal: AbortSignal.any([watching.signal, ending.signal]) });
    } finally {
      leave();
    }
  }
}

const nothing: readonly Item[] = Object.freeze([]);

/** Returns a 429 with a Retry-After that grows with the time for which the cache has not been current. */
function notReady({ state }: WatchCache, clock: Clock): StatusError {
  const seconds = state.tag === "filling" ? (clock.now() - state.since) / 1000 : 0;
  const because = state.tag === "filling" && state.because instanceof Error ? `: ${state.because.message}` : "";
  return new StatusError("TooManyRequests", `storage is (re)initializing${because}`, {
    details: { retryAfterSeconds: Math.min(30, Math.max(1, Math.floor(Math.exp(0.06 * seconds)))) },
  });
}

/**
 * Returns the page after checking that each of its objects can be read. An unreadable one must be reported before the first byte of the
 * answer.
 */
function allReadable(page: ListPage): ListPage {
  for (const item of page.items) void item.object;
  return page;
}

function pageOf(
  index: KeyIndex,
  revision: Revision,
  { maker, meter }: KindCache,
  collection: Collection,
  options: ListOptions,
  { limit, start, key }: ListPlan,
  names: Names,
  blocks: SharedBlocks,
): { readonly page: ListPage; /** Entries that the list evaluated. */ readonly fetched: number } {
  const selection = selectionOf(collection, options);
  const { chooses } = selection;
  const after = (entry: CachedEntry) => index.count(collection.prefix, `${entry.key}\0`);
  const result = (items: Items, fetched: number, last?: CachedEntry) => {
    const left = last === undefined ? 0 : after(last);
    const token = last === undefined || left === 0 ? "" : continueAfter(collection, revision, last.key, names);
    const remaining = token === "" || chooses !== undefined ? undefined : left;
    return { page: { items, revision, continue: token, remaining }, fetched: Math.max(fetched, items.length) };
  };
  if (key !== undefined) {
    const entry = index.get(key);
    const found = entry === undefined || (chooses !== undefined && !chooses(entry)) ? [] : [entry];
    return result(someItems(maker, found), entry === undefined ? 0 : 1);
  }
  if (chooses === undefined) {
    const { spans, last } = firstOf(index.spans(selection.prefix, start), limit);
    return result(allItems(maker, spans, blocks, meter.sentBlock), 0, last);
  }
  const found: CachedEntry[] = [];
  let fetched = 0;
  for (const run of index.runs(selection.prefix, start)) {
    for (const entry of run) {
      fetched++;
      if (!chooses(entry)) continue;
      found.push(entry);
      if (found.length === limit) return result(someItems(maker, found), fetched, entry);
    }
  }
  return result(someItems(maker, found), fetched);
}

/**
 * Returns the first `limit` entries and the last of these; `last` is undefined if there are fewer. Without a limit it returns all entries.
 */
function firstOf(
  all: Iterable<Span>,
  limit: number | undefined,
): { readonly spans: readonly Span[]; readonly last: CachedEntry | undefined } {
  const spans: Span[] = [];
  let left = limit ?? Infinity;
  for (const span of all) {
    const { chunk, from } = span;
    const to = Math.min(span.to, from + left);
    spans.push({ chunk, from, to });
    left -= to - from;
    if (left === 0) return { spans, last: chunk[to - 1] };
  }
  return { spans, last: undefined };
}
