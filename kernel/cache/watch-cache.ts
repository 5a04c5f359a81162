/**
 * The cache of all kinds, fed by one list and one watch of the store, so that everything in it holds at one revision.
 *
 *   filling ──> current ──> closed          A watch that breaks leads from current back to filling; closed is final.
 *      ^  └────────┼──────────^
 *      └───────────┘
 *
 * While it is filled again, what was there before stays readable for those who do not care for its age; followers are ended,
 * because nobody can tell them what they missed.
 */
import type { StoredKind } from "../catalog.ts";
import { type Clock, pause } from "../store/clock.ts";
import { type Batch, type Revision, type Store, StoreError } from "../store/store.ts";
import type { CachedEntry } from "./entry.ts";
import { sharedRoundTrip } from "./freshness.ts";
import type { KindCache } from "./kind-cache.ts";
import type { OwnWrites } from "./own-writes.ts";

export type CacheState =
  | { readonly tag: "filling"; /** Milliseconds since 1970. */ readonly since: number; readonly because: unknown }
  | { readonly tag: "current" }
  | { readonly tag: "closed" };

export interface WatchCacheNeeds {
  readonly store: Store;
  /** By what their keys have below the prefix: `configmaps`. */
  readonly kinds: ReadonlyMap<string, KindCache>;
  readonly prefix: string;
  readonly clock: Clock;
  readonly own: OwnWrites;
  /** Told of each failure that makes the cache begin anew. */
  readonly onError: (error: unknown) => void;
}

/** Entries that one request of the first list brings. */
const fillPage = 500;
/** Entries that are decoded in one turn of the event loop. */
const turnEntries = 100;
const retryMsMax = 5_000;

export class WatchCache {
  readonly #needs: WatchCacheNeeds;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #refilling = new AbortController();
  readonly #ask: () => Promise<Revision>;
  #state: CacheState;
  #revision: Revision = 0;
  #waiters = new Set<Waiter>();
  #turned = Promise.withResolvers<void>();

  constructor(needs: WatchCacheNeeds) {
    this.#needs = needs;
    this.#state = { tag: "filling", since: needs.clock.now(), because: undefined };
    // Any key does: what counts is the revision that comes with it.
    this.#ask = sharedRoundTrip(async () => (await needs.store.get(`${needs.prefix}/`, this.#closing.signal)).revision);
    this.#running = this.#run();
  }

  get state(): CacheState {
    return this.#state;
  }
  /** Everything up to here is in the cache. */
  get revision(): Revision {
    return this.#revision;
  }
  get kinds(): Iterable<KindCache> {
    return this.#needs.kinds.values();
  }
  kindOf(kind: StoredKind): KindCache | undefined {
    const found = this.#needs.kinds.get(kind.under);
    return found?.maker.kind === kind ? found : undefined;
  }
  /** The kind whose key this is. */
  kindAt(key: string): KindCache | undefined {
    const { kinds, prefix } = this.#needs;
    for (let slash = key.lastIndexOf("/"); slash > prefix.length; slash = key.lastIndexOf("/", slash - 1)) {
      const found = kinds.get(key.slice(prefix.length + 1, slash));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Whether the cache is current, or becomes so within the time. */
  async ready(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#state.tag === "filling") await this.#until(this.#turned.promise, ms, signal);
    return this.#state.tag === "current";
  }
  /** Whether the cache has reached a revision, or does within the time. `known`: the store has shown it already. */
  async reached(revision: Revision, ms: number, signal: AbortSignal, known = false): Promise<boolean> {
    if (this.#revision >= revision) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { revision, resolve };
    this.#waiters.add(waiter);
    // A read that shows a revision makes the store tell its watches how far they are.
    if (!known) this.#ask().catch(() => {});
    await this.#until(promise, ms, signal).finally(() => this.#waiters.delete(waiter));
    return this.#revision >= revision;
  }
  /** The store's newest revision, told by a read that begins no earlier than this call. */
  newest(signal: AbortSignal): Promise<Revision> {
    return withSignal(this.#ask(), signal);
  }

  /** History that the store has forgotten is forgotten here, too. */
  forget(revision: Revision): void {
    for (const kind of this.#needs.kinds.values()) kind.forget(revision);
  }

  /** Begins anew, because what is here is not right. */
  refill(because: Error): void {
    this.#refilling.abort(because);
  }

  async close(): Promise<void> {
    this.#closing.abort(new StoreError("closed", "The cache is closed"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { store, prefix, clock, onError } = this.#needs;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      try {
        const revision = await this.#fill();
        const refilling = this.#refilling = new AbortController();
        const watching = AbortSignal.any([signal, refilling.signal]);
        for await (const batch of store.watch({ prefix: `${prefix}/` }, revision, watching)) {
          failures = 0;
          this.#take(batch);
        }
        refilling.signal.throwIfAborted();
      } catch (error) {
        if (!signal.aborted) onError(error);
        this.#turn({ tag: "filling", since: clock.now(), because: error });
      }
      for (const kind of this.#needs.kinds.values()) kind.endFollowers();
      // At once the first time: readers wait.
      if (failures++ > 0) await pause(Math.min(retryMsMax, 50 * 2 ** failures), signal, clock);
    }
    this.#turn({ tag: "closed" });
  }

  /** Reads all kinds at one revision, and makes the cache current. */
  async #fill(): Promise<Revision> {
    const { store, kinds, prefix } = this.#needs;
    const { signal } = this.#closing;
    const { revision } = await store.get(`${prefix}/`, signal);
    const fillings: Filling[] = [];
    try {
      for (const kind of kinds.values()) {
        const filling: Filling = { kind, entries: [], broken: [] };
        fillings.push(filling);
        await fillKind(store, filling, revision, signal);
      }
      signal.throwIfAborted();
    } catch (error) {
      for (const { kind, entries } of fillings) kind.giveUp(entries);
      throw error;
    }
    for (const { kind, entries, broken } of fillings) kind.reset(entries, broken, revision);
    this.#progress(revision);
    this.#turn({ tag: "current" });
    return revision;
  }

  #take({ events, revision }: Batch): void {
    const { clock, own } = this.#needs;
    const now = clock.now();
    const touched = new Set<KindCache>();
    for (const event of events) {
      const kind = this.kindAt(event.key);
      if (kind === undefined) continue;
      kind.apply(event.value === undefined ? event : { ...event, value: own.known(event.key, event.value) }, now);
      touched.add(kind);
    }
    this.#progress(revision);
    for (const kind of touched) kind.publish();
  }

  #progress(revision: Revision): void {
    this.#revision = Math.max(this.#revision, revision);
    for (const waiter of this.#waiters) if (waiter.revision <= this.#revision) waiter.resolve();
  }

  #turn(state: CacheState): void {
    if (this.#state.tag === "closed") return;
    // Downtime counts from its beginning.
    this.#state = state.tag === "filling" && this.#state.tag === "filling" ? { ...state, since: this.#state.since } : state;
    if (state.tag === "filling") return;
    this.#turned.resolve();
    this.#turned = Promise.withResolvers();
  }

  /** `promise`, or the end of the time; the signal's reason once it aborts. */
  async #until(promise: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    const cancel = this.#needs.clock.after(ms, over.resolve);
    try {
      await withSignal(Promise.race([promise, over.promise]), signal);
    } finally {
      cancel();
    }
  }
}

interface Filling {
  readonly kind: KindCache;
  readonly entries: CachedEntry[];
  readonly broken: string[];
}

async function fillKind(store: Store, { kind, entries, broken }: Filling, at: Revision, signal: AbortSignal): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const range = { prefix: kind.prefix, ...(after === undefined ? {} : { after }) };
    const page = await store.list(range, { limit: fillPage, at, signal });
    for (const [index, { key, value, revision }] of page.entries.entries()) {
      const entry = kind.entryOf(key, revision, value);
      if (entry === undefined) broken.push(key);
      else entries.push(entry);
      if (index % turnEntries === turnEntries - 1) await pause(0, signal);
    }
    after = page.entries.at(-1)?.key;
    if (after === undefined || page.entries.length === page.count) return;
  }
}

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
}

async function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
