/**
 * The cache of all kinds, fed by one list and one watch of the store, so that all of it holds at one revision.
 *
 *   filling ──> current ──> closed          A broken watch leads from current back to filling; closed is final.
 *      ^  └────────┼──────────^
 *      └───────────┘
 *
 * During a refill the old contents stay readable at resourceVersion 0. Subscribers are ended, because the events that they missed are not
 * known. If the store was replaced by an older copy of itself, it assigns the same revisions to other changes. All old contents are dropped
 * then.
 *
 * A kind that is added while the cache is current is read at a revision of its own. Its events are kept aside meanwhile. The kind is served
 * once its events are applied and the cache has reached that revision:
 *
 *   watch of the cache  10  11  12  13  14
 *   added at            10                       from here on the events of the kind are kept: 11, 13
 *   read at                     12               includes 11
 *   served when                 12 or later      the list of 12, with 13 applied
 */
import type { StoredKind } from "../catalog/catalog.ts";
import type { Waiter } from "../reads/reads.ts";
import { abortable, type Clock, pause } from "../../core/async.ts";
import { type Batch, type Revision, StoreError } from "../store/store.ts";
import { fillKind, type FillSource } from "./fill/fill.ts";
import { catcherUp, type Passing, sharedRoundTrip, type Together } from "./fill/freshness.ts";
import type { Filling, KindCache } from "./kind/kind-cache.ts";
import type { OwnWrites } from "./index/own-writes.ts";
import { bound } from "../../core/bound.ts";
import { revisionWaitMs } from "../reads/direct-reads.ts";

/** Milliseconds between two removals of old events and states of the kinds that do not change. */
export const cacheExpiryMs = bound(60_000);
/** Longest delay, in milliseconds, before the cache watches the store again after a failure. */
const cacheRetryMsMax = bound(5_000);

export type CacheState =
  | { readonly tag: "filling"; /** Milliseconds since 1970. */ readonly since: number; readonly because: unknown }
  | { readonly tag: "current" }
  | { readonly tag: "closed" };

/** Runs work as a span with this name. */
export type Traced = <T>(name: string, attributes: Readonly<Record<string, string>>, run: () => Promise<T>) => Promise<T>;

export interface WatchCacheNeeds extends FillSource {
  /** The kinds that are cached from the start. */
  readonly kinds: Iterable<KindCache>;
  readonly prefix: string;
  /** The revision of the kinds, if all of them are filled at the start. */
  readonly at?: Revision | undefined;
  /** The newest revision that was lost before the start. */
  readonly lost?: Revision | undefined;
  readonly clock: Clock;
  readonly own: OwnWrites;
  /** Called for each failure after which the cache is filled again. */
  readonly onError: (error: unknown) => void;
  readonly traced: Traced;
  /** Called when the store was replaced by an older copy: no watch can continue then. */
  readonly onSetBack: () => void;
}

export class WatchCache {
  readonly #needs: WatchCacheNeeds;
  /** The cached kinds, by the part of their keys below the prefix, such as `configmaps`. */
  readonly #kinds: Map<string, KindCache>;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** Kinds that are read on their own while the cache is current. Each promise resolves when the kind is filled or removed. */
  readonly #joining = new Map<KindCache, Promise<void>>();
  /** Its signal aborts when the last fill is no longer valid. */
  #refilling = new AbortController();
  readonly #ask: () => Promise<Revision>;
  readonly #together: () => Together;
  #state: CacheState;
  #revision: Revision = 0;
  /** When old events of all kinds were last dropped, in milliseconds since 1970. */
  #expired = 0;
  /** The cache's revision at the time when the store was found to be replaced by an older copy. */
  #lost: Revision = 0;
  #waiting = new Set<Waiting>();
  #turned = Promise.withResolvers<void>();

  constructor(needs: WatchCacheNeeds) {
    this.#needs = needs;
    this.#lost = needs.lost ?? 0;
    this.#kinds = new Map(Array.from(needs.kinds, (kind) => [kind.under, kind]));
    this.#state = { tag: "filling", since: needs.clock.now(), because: undefined };
    // Any key will do, because every answer carries the store's revision.
    const ask = async () => {
      const before = this.#revision;
      const { revision } = await needs.store.get(`${needs.prefix}/`, this.#closing.signal);
      if (revision < before) this.#startOver(setBack(before, revision));
      return revision;
    };
    this.#ask = sharedRoundTrip(async () => needs.store.newest() ?? await ask());
    this.#together = catcherUp(this.#ask, (revision) => this.#pass(revision), needs.clock);
    this.#running = this.#run();
  }

  get state(): CacheState {
    return this.#state;
  }
  /** The revision up to which every change is in the cache. */
  get revision(): Revision {
    return this.#revision;
  }
  /** Whether the cache is known to be at the store's newest revision. This needs no round trip. */
  get isNewest(): boolean {
    const newest = this.#needs.store.newest();
    return this.#state.tag === "current" && newest !== undefined && this.#revision >= newest;
  }
  /** Whether this revision was lost when the store was replaced by an older copy, and has not been assigned again since. */
  isLost(revision: Revision): boolean {
    return revision > this.#revision && revision <= this.#lost;
  }
  /** All kinds, including those that are being filled. */
  get kinds(): readonly KindCache[] {
    return [...this.#kinds.values()];
  }
  /**
   * Returns the cache of a kind. Undefined if the store must answer: the kind is not cached, or is still being read while the cache is
   * current.
   */
  kindOf(kind: StoredKind): KindCache | undefined {
    const found = this.#kinds.get(kind.under);
    if (found?.maker.kind !== kind) return undefined;
    return found.filled || this.#state.tag === "filling" ? found : undefined;
  }
  /** The kind that this key belongs to. */
  kindAt(key: string): KindCache | undefined {
    const { prefix } = this.#needs;
    for (let slash = key.lastIndexOf("/"); slash > prefix.length; slash = key.lastIndexOf("/", slash - 1)) {
      const found = this.#kinds.get(key.slice(prefix.length + 1, slash));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Caches one more kind; it replaces a kind with the same keys. Resolves when the kind is filled or removed. */
  async add(kind: KindCache): Promise<void> {
    const before = this.#kinds.get(kind.under);
    if (before !== undefined) this.remove(before.maker.kind);
    this.#kinds.set(kind.under, kind);
    const joining = this.#join(kind).finally(() => this.#joining.delete(kind));
    this.#joining.set(kind, joining);
    await joining;
  }
  /** Drops a kind. Values that were read from it stay valid; its subscribers end. */
  remove({ under }: StoredKind): void {
    this.#kinds.get(under)?.empty();
    this.#kinds.delete(under);
  }

  /** Waits up to `ms` for the cache to be current, and returns whether it is. */
  async waitUntilCurrent(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#state.tag === "filling") await this.#until(this.#turned.promise, ms, signal);
    return this.#state.tag === "current";
  }
  /** Waits up to `ms` until a kind that is being added is filled. */
  async waitForKind({ under }: StoredKind, ms: number, signal: AbortSignal): Promise<void> {
    const kind = this.#kinds.get(under), joining = kind && this.#joining.get(kind);
    if (joining !== undefined) await this.#until(joining, ms, signal);
  }
  /**
   * Waits up to `ms` for the cache to reach a revision, and returns whether it has. `known`: the caller knows that the store has reached
   * this revision.
   */
  async waitUntilReached(revision: Revision, ms: number, signal: AbortSignal, known = false): Promise<boolean> {
    if (this.#revision >= revision || ms <= 0) return this.#revision >= revision;
    const { passed, forget } = this.#pass(revision);
    // A read makes etcd send a progress report to its watches.
    if (!known) this.#ask().catch(() => {});
    await this.#until(passed, ms, signal).finally(forget);
    return this.#revision >= revision;
  }
  /** Waits up to `ms` for the cache to reach the store's newest revision as of this call, and returns whether it has. */
  async caughtUp(ms: number, waiter: Waiter): Promise<boolean> {
    const until = this.#needs.clock.now() + ms;
    const { newest, isSoon } = this.#together();
    if (await isSoon) return true;
    const { signal } = waiter;
    const revision = await abortable(newest, signal);
    return await this.waitUntilReached(revision, until - this.#needs.clock.now(), signal, true);
  }
  /** The store's newest revision, from a read that begins no earlier than this call. */
  newest(signal: AbortSignal): Promise<Revision> {
    return abortable(this.#ask(), signal);
  }

  /** Drops history that the store has compacted. */
  forget(revision: Revision): void {
    for (const kind of this.#kinds.values()) kind.forget(revision);
  }

  /** Fills the cache again, because its contents are wrong. */
  refill(because: Error): void {
    this.#refilling.abort(because);
  }

  async close(): Promise<void> {
    this.#closing.abort(new StoreError("closed", "The cache is closed"));
    await Promise.all([this.#running, ...this.#joining.values()]);
  }

  async #run(): Promise<void> {
    const { store, prefix, clock, onError } = this.#needs;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      const refilling = this.#refilling = new AbortController();
      try {
        const revision = this.#begun() ?? await this.#needs.traced("fill of the watch cache", {}, () => this.#fill());
        const watching = AbortSignal.any([signal, refilling.signal]);
        for await (const batch of store.watch({ prefix: `${prefix}/`, previous: false }, revision, watching)) {
          failures = 0;
          this.#take(batch);
        }
        refilling.signal.throwIfAborted();
      } catch (error) {
        if (!signal.aborted) onError(error);
        if (error instanceof StoreError && error.code === "set-back" && !refilling.signal.aborted) this.#startOver(error);
        else this.#turn({ tag: "filling", since: clock.now(), because: error });
        // A kind that is being read on its own would be at another revision than the refill.
        refilling.abort(error);
      }
      for (const kind of this.#kinds.values()) kind.endSubscribers();
      // The first retry is immediate: readers wait.
      if (failures++ > 0) await pause(retryMs(failures), signal, clock);
    }
    this.#turn({ tag: "closed" });
  }

  /** Makes a cache current that begins with the contents of another one. */
  #begun(): Revision | undefined {
    const { at } = this.#needs;
    if (at === undefined || this.#revision >= at || this.kinds.some(({ filled }) => !filled)) return undefined;
    this.#progress(at);
    this.#turn({ tag: "current" });
    return at;
  }

  /** Reads all kinds at one revision, and makes the cache current. */
  async #fill(): Promise<Revision> {
    const { store, prefix } = this.#needs;
    const { signal } = this.#closing;
    const { revision } = await store.get(`${prefix}/`, signal);
    if (revision < this.#revision) throw setBack(this.#revision, revision);
    const fillings = new Map<KindCache, Filling>();
    try {
      // The loop also visits kinds that are added meanwhile, because a Map iterates them.
      for (const kind of this.#kinds.values()) fillings.set(kind, await fillKind(this.#needs, kind, revision, signal));
      signal.throwIfAborted();
    } catch (error) {
      for (const [kind, filling] of fillings) kind.giveUp(filling);
      throw error;
    }
    for (const [kind, filling] of fillings) {
      if (this.#isWanted(kind)) kind.reset(filling);
      else kind.giveUp(filling);
    }
    this.#progress(revision);
    this.#turn({ tag: "current" });
    return revision;
  }

  #startOver(because: StoreError): void {
    this.#lost = Math.max(this.#lost, this.#revision);
    this.#revision = 0;
    for (const kind of this.#kinds.values()) kind.empty();
    this.#turn({ tag: "filling", since: this.#needs.clock.now(), because });
    this.#needs.onSetBack();
    this.#refilling.abort(because);
  }

  #isWanted(kind: KindCache): boolean {
    return this.#kinds.get(kind.under) === kind;
  }

  /** Fills one kind, and retries after failures. Ends when the kind is filled here or by a refill of all kinds. */
  async #join(kind: KindCache): Promise<void> {
    const { clock, onError } = this.#needs;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted && this.#isWanted(kind) && !kind.filled;) {
      const refilling = this.#refilling.signal;
      if (this.#state.tag === "filling" || refilling.aborted) {
        await this.#turned.promise;
        continue;
      }
      try {
        const stop = AbortSignal.any([signal, refilling]);
        await this.#needs.traced("fill of the watch cache", { prefix: kind.under }, () => this.#fillOne(kind, stop));
      } catch (error) {
        if (signal.aborted || refilling.aborted) continue;
        onError(error);
        await pause(retryMs(++failures), signal, clock);
      }
    }
  }
  async #fillOne(kind: KindCache, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#needs;
    kind.keepAside();
    // An event that arrived before `keepAside` has this revision or an earlier one.
    const { revision } = await store.get(kind.prefix, signal);
    const filling = await fillKind(this.#needs, kind, revision, signal);
    try {
      while (!(await this.waitUntilReached(revision, revisionWaitMs, signal)));
      signal.throwIfAborted();
      if (this.#isWanted(kind)) return kind.join(filling, clock.now());
    } catch (error) {
      kind.giveUp(filling);
      throw error;
    }
    kind.giveUp(filling);
  }

  #take({ events, revision }: Batch): void {
    const { clock, own } = this.#needs;
    const now = clock.now();
    const touched = new Set<KindCache>();
    for (const event of events) {
      const kind = this.kindAt(event.key);
      if (kind === undefined) continue;
      if (event.value === undefined) own.deleted(event.key);
      kind.take(event.value === undefined ? event : { ...event, value: own.known(event.key, event.value) }, now);
      touched.add(kind);
    }
    this.#progress(revision);
    for (const kind of touched) kind.publish();
    if (now - this.#expired < cacheExpiryMs) return;
    this.#expired = now;
    for (const kind of this.#kinds.values()) kind.expire(now);
  }

  #pass(revision: Revision): Passing {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { revision, resolve };
    if (revision <= this.#revision) resolve();
    else this.#waiting.add(waiting);
    return { passed: promise, forget: () => void this.#waiting.delete(waiting) };
  }
  #progress(revision: Revision): void {
    this.#revision = Math.max(this.#revision, revision);
    for (const waiting of this.#waiting) if (waiting.revision <= this.#revision) waiting.resolve();
  }

  #turn(state: CacheState): void {
    if (this.#state.tag === "closed") return;
    // If the cache fails again while it is being filled, the start of the downtime stays the same.
    this.#state = state.tag === "filling" && this.#state.tag === "filling" ? { ...state, since: this.#state.since } : state;
    if (state.tag === "filling") return;
    this.#turned.resolve();
    this.#turned = Promise.withResolvers();
  }

  /** Waits for `promise`, at most `ms`. Rejects with the signal's reason when it aborts. */
  async #until(promise: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    const cancel = this.#needs.clock.after(ms, over.resolve);
    try {
      await abortable(Promise.race([promise, over.promise]), signal);
    } finally {
      cancel();
    }
  }
}

function retryMs(failures: number): number {
  return Math.min(cacheRetryMsMax, 50 * 2 ** failures);
}

function setBack(before: Revision, now: Revision): StoreError {
  return new StoreError("set-back", `The store is at revision ${now} and was at ${before} before: it was restored from an older copy`);
}

interface Waiting {
  readonly revision: Revision;
  readonly resolve: () => void;
}
