/** The cache of one kind: its index, recent events and subscribers. */
import type { Revision, StoreEvent } from "../../store/store.ts";
import { type Subscriber, Subscribers, type SubscriberScope, type Subscription } from "./subscribers.ts";
import { type CachedEntry, type EntryMaker, holds, makeEntry } from "../index/entry.ts";
import { FrameShare } from "./frame-share.ts";
import { KeyIndex } from "../index/key-index.ts";
import type { CacheMeter } from "../metrics.ts";
import { bytesOf, capacityFor, capacityMin, EventRing, type RingBounds, type RingEvent } from "./ring.ts";
import { Snapshots } from "./snapshots.ts";

/** The entries of a kind at a revision. */
export interface Filling {
  readonly revision: Revision;
  /** All entries, in the order of their keys. */
  readonly entries: CachedEntry[];
  /** Keys of values that cannot be decoded. */
  readonly broken: string[];
}

export interface KindCacheNeeds {
  readonly maker: EntryMaker;
  /** Prefix of the kind's keys. */
  readonly prefix: string;
  readonly meter: CacheMeter;
  readonly bounds: RingBounds;
  /** Milliseconds that earlier states are retained. */
  readonly snapshotMs: number;
}

export class KindCache {
  readonly maker: EntryMaker;
  readonly meter: CacheMeter;
  /** Prefix of the kind's keys. */
  readonly prefix: string;
  readonly frames: FrameShare;
  /**
   * Events that arrive while this kind is read from the store on its own. Undefined at other times, and once they have exceeded their
   * bound.
   */
  #aside: StoreEvent[] | undefined;
  #asideBytes = 0;
  #filled = false;
  readonly #bounds: RingBounds;
  readonly #subscribers: Subscribers;
  #index: KeyIndex = KeyIndex.of([]);
  #ring: EventRing;
  /** Keys of values that cannot be decoded. The store answers requests that touch them. */
  readonly #broken = new Set<string>();
  #staged: RingEvent[] = [];
  /** Bytes of events since subscribers were last checked for slowness. */
  #unchecked = 0;
  #capacity = capacityMin;
  readonly #snapshots: Snapshots;
  /** The newest revision at which a value that could not be decoded was replaced or deleted. Earlier states of the kind are incomplete. */
  #mended: Revision = 0;

  /** `like`: the cache of another server, with whose contents it begins. */
  constructor({ maker, prefix, meter, bounds, snapshotMs }: KindCacheNeeds, like?: KindCache) {
    this.meter = meter;
    this.maker = maker;
    this.prefix = prefix;
    this.#bounds = bounds;
    this.#snapshots = new Snapshots(snapshotMs);
    this.#ring = new EventRing(0, bounds);
    this.frames = new FrameShare(maker);
    this.#subscribers = new Subscribers(prefix);
    if (like?.filled !== true) return;
    [this.#index, this.#ring, this.#filled, this.#mended] = [like.#index, like.#ring.copy(), true, like.#mended];
    for (const key of like.#broken) this.#broken.add(key);
  }

  /** The part of the kind's keys below the store's prefix. */
  get under(): string {
    return this.maker.kind.under;
  }
  /** Whether the kind has been read completely. */
  get filled(): boolean {
    return this.#filled;
  }
  get index(): KeyIndex {
    return this.#index;
  }
  get ring(): EventRing {
    return this.#ring;
  }
  get followerCount(): number {
    return this.#subscribers.count;
  }

  /** Whether a value below the prefix cannot be decoded. */
  hasBroken(prefix: string): boolean {
    if (this.#broken.size === 0) return false;
    for (const key of this.#broken) if (key.startsWith(prefix)) return true;
    return false;
  }

  brokenKeys(): ReadonlySet<string> {
    return new Set(this.#broken);
  }

  /**
   * Makes the entry of stored bytes, or returns the entry that already holds them. Returns undefined if the bytes cannot be decoded. A revision may
   * have other bytes than before: those of an encrypted value that is to be written again.
   */
  entryOf(key: string, revision: Revision, value: Uint8Array, onUnreadable?: (error: unknown) => void): CachedEntry | undefined {
    const known = this.#index.get(key);
    if (known?.revision === revision && holds(this.maker, known, value)) return known;
    try {
      return makeEntry(this.maker, key, revision, value);
    } catch (error) {
      this.meter.undecodable();
      onUnreadable?.(error);
      return undefined;
    }
  }

  /** Releases the entries of a filling that will not be used. */
  giveUp({ entries }: Filling): void {
    for (const entry of entries) if (this.#index.get(entry.key) !== entry) this.#release(entry);
  }

  /** Replaces the contents by a list. All subscribers end, because their events before the list are not known. */
  reset({ entries, broken, revision }: Filling): void {
    this.#subscribers.endAll();
    const old = this.#index;
    this.#index = KeyIndex.of(entries);
    this.#ring = new EventRing(revision, this.#bounds);
    this.#snapshots.clear();
    this.#mended = 0;
    this.#staged = [];
    this.#aside = undefined;
    this.#filled = true;
    this.meter.filled();
    this.#resize();
    this.frames.clear();
    this.#broken.clear();
    for (const key of broken) this.#broken.add(key);
    for (const run of old.runs(this.prefix)) {
      for (const entry of run) if (this.#index.get(entry.key) !== entry) this.#release(entry);
    }
  }

  /** Begins to keep events aside, for the list that is about to be read. */
  keepAside(): void {
    this.#aside = [];
    this.#asideBytes = 0;
  }
  /** Starts with a list, and applies the events that were kept aside since `keepAside`. */
  join(filling: Filling, now: number): void {
    const since = this.#aside;
    if (since === undefined) throw new Error(`${this.maker.kind.plural} changed too much while they were read into the cache`);
    this.reset(filling);
    for (const event of since) if (event.revision > filling.revision) this.#apply(event, now);
    this.publish();
  }
  /** Applies an event. Subscribers are notified later, by `publish`. */
  take(event: StoreEvent, now: number): void {
    this.meter.received(1);
    if (this.#filled) this.#apply(event, now);
    else this.#keep(event);
  }
  #keep(event: StoreEvent): void {
    this.#asideBytes += 200 + event.key.length + (event.value?.length ?? 0) + (event.previous?.value.length ?? 0);
    this.#aside?.push(event);
    const { bytesMax, eventsMax } = this.#bounds;
    if (this.#asideBytes > bytesMax || (this.#aside?.length ?? 0) > eventsMax) this.#aside = undefined;
  }

  /** Releases all entries; values read from here stay valid. */
  empty(): void {
    this.#filled = false;
    this.#aside = undefined;
    for (const run of this.#index.runs(this.prefix)) for (const entry of run) this.#release(entry);
    this.#index = KeyIndex.of([]);
    this.#snapshots.clear();
  }

  forget(revision: Revision): void {
    this.#ring.forget(revision);
    this.frames.forget(this.#ring.start);
    this.#snapshots.forget(revision);
  }

  /**
   * Drops events and states that are too old now. `publish` does the same for a kind that changes; without this, old entries of other kinds
   * would keep their slabs until a compaction.
   */
  expire(now: number): void {
    this.#ring.expire(now);
    this.frames.forget(this.#ring.start);
    if (this.#ring.length === 0) this.frames.outdate();
    this.#snapshots.expire(now);
    this.#resize();
  }

  #release(entry: CachedEntry): void {
    this.maker.slabs.release(entry);
    this.maker.recent.forget(entry);
  }

  #apply(event: StoreEvent, now: number): void {
    const { key, revision, value } = event;
    const prior = this.#index.get(key);
    if (this.#broken.delete(key)) this.#mended = revision;
    let next: CachedEntry | undefined;
    let failure: unknown;
    if (value !== undefined) {
      try {
        next = makeEntry(this.maker, key, revision, value);
      } catch (error) {
        failure = error;
        this.meter.undecodable();
        this.#broken.add(key);
      }
    }
    if (next !== undefined) this.#index = this.#index.with(next);
    else if (prior !== undefined) this.#index = this.#index.without(key);
    if (prior !== undefined) this.#release(prior);
    if (next !== undefined || prior !== undefined || failure !== undefined) {
      this.#staged.push({ key, revision, next, prior, failure, at: now });
    }
  }

  /** Notifies subscribers of the applied events. */
  publish(): void {
    if (this.#staged.length === 0) return;
    const events = this.#staged;
    this.#staged = [];
    const first = this.#ring.end;
    this.#ring.push(events);
    this.frames.forget(this.#ring.start);
    this.#resize();
    this.meter.dispatched(events.length);
    const { revision, at } = events.at(-1)!;
    this.#snapshots.step(revision, this.#index, events.length, at);
    this.#subscribers.notify(events, first);
    this.#unchecked += events.reduce((sum, event) => sum + bytesOf(event), 0);
    if (this.#unchecked < checkEveryBytes) return;
    this.#unchecked = 0;
    this.#subscribers.checkAll();
  }

  #resize(): void {
    const capacity = capacityFor(this.#ring.length, this.#capacity);
    this.meter.resized(this.#capacity, capacity);
    this.#capacity = capacity;
  }

  /** Adds a subscriber; the returned function removes it. */
  subscribe(subscriber: Subscriber, where: SubscriberScope, connection?: object): Subscription {
    return this.#subscribers.add(subscriber, where, connection);
  }
  endSubscribers(): void {
    this.#subscribers.endAll();
  }

  /** Retains the present state for the later chunks of a list. */
  pin(revision: Revision, index: KeyIndex, now: number): void {
    this.#snapshots.pin(revision, index, now);
  }
  /** The index at a revision not after the newest; undefined if it is not retained. */
  indexAt(revision: Revision, now: number): KeyIndex | undefined {
    return revision < this.#mended ? undefined : this.#snapshots.at(revision, this.#index, this.#ring, now);
  }
}

const checkEveryBytes = 1024 * 1024;
