/** All that is remembered of one kind: what is there, what happened lately, and who follows it. */
import type { Revision, StoreEvent } from "../../store/store.ts";
import { type Follower, type Followers, followers, type Where } from "./subscribers.ts";
import { type CachedEntry, type EntryMaker, makeEntry } from "../index/entry.ts";
import { type FrameShare, frameShare } from "./frame-share.ts";
import { KeyIndex } from "../index/key-index.ts";
import type { CacheMeter } from "../metrics.ts";
import { bytesOf, capacityFor, capacityMin, EventRing, type RingBounds, type RingEvent } from "./ring.ts";
import { Snapshots } from "./snapshots.ts";

/** What a kind holds at a revision. */
export interface Filling {
  readonly revision: Revision;
  /** In the order of their keys. */
  readonly entries: CachedEntry[];
  /** Keys of what cannot be read. */
  readonly broken: string[];
}

export interface KindCacheNeeds {
  readonly maker: EntryMaker;
  /** What the kind's keys begin with. */
  readonly prefix: string;
  readonly meter: CacheMeter;
  readonly bounds: RingBounds;
  /** How long earlier states are retained. */
  readonly snapshotMs: number;
}

export class KindCache {
  readonly maker: EntryMaker;
  readonly meter: CacheMeter;
  /** What the kind's keys begin with. */
  readonly prefix: string;
  readonly frames: FrameShare;
  /** Changes that come while the kind is being read beside others; undefined also when they were too many to be kept. */
  #aside: StoreEvent[] | undefined;
  #asideBytes = 0;
  #filled = false;
  readonly #bounds: RingBounds;
  readonly #followers: Followers;
  #index = KeyIndex.of([]);
  #ring: EventRing;
  /** Keys whose bytes cannot be read; what touches them is answered by the store itself. */
  readonly #broken = new Set<string>();
  #staged: RingEvent[] = [];
  /** Bytes of events since it was last looked who lags behind. */
  #unchecked = 0;
  #room = capacityMin;
  readonly #snapshots: Snapshots;
  /** Before this revision something could not be read. */
  #mended: Revision = 0;

  constructor({ maker, prefix, meter, bounds, snapshotMs }: KindCacheNeeds) {
    this.meter = meter;
    this.maker = maker;
    this.prefix = prefix;
    this.#bounds = bounds;
    this.#snapshots = new Snapshots(snapshotMs);
    this.#ring = new EventRing(0, bounds);
    this.frames = frameShare(maker);
    this.#followers = followers(prefix);
  }

  /** What its keys have below the store's prefix. */
  get under(): string {
    return this.maker.kind.under;
  }
  /** Whether all is here that was there at the cache's revision. */
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
    return this.#followers.count;
  }

  /** Whether something below the prefix cannot be read. */
  hasBroken(prefix: string): boolean {
    if (this.#broken.size === 0) return false;
    for (const key of this.#broken) if (key.startsWith(prefix)) return true;
    return false;
  }

  brokenKeys(): ReadonlySet<string> {
    return new Set(this.#broken);
  }

  /** The entry of stored bytes; the one that is there already where it is the same. Undefined for what cannot be read. */
  entryOf(key: string, revision: Revision, value: Uint8Array): CachedEntry | undefined {
    const known = this.#index.get(key);
    if (known?.revision === revision) return known;
    try {
      return makeEntry(this.maker, key, revision, value);
    } catch {
      this.meter.undecodable();
      return undefined;
    }
  }

  /** Lets go of entries that will not be there after all. */
  giveUp({ entries }: Filling): void {
    for (const entry of entries) if (this.#index.get(entry.key) !== entry) this.maker.slabs.release(entry);
  }

  /** Begins anew from a list: nobody can follow from before to after it. */
  reset({ entries, broken, revision }: Filling): void {
    this.#followers.endAll();
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
      for (const entry of run) if (this.#index.get(entry.key) !== entry) this.maker.slabs.release(entry);
    }
  }

  /** From now on changes are kept for the list that is about to be read. */
  keepAside(): void {
    this.#aside = [];
    this.#asideBytes = 0;
  }
  /** Begins from a list and the changes since that were kept aside. */
  join(filling: Filling, now: number): void {
    const since = this.#aside;
    if (since === undefined) throw new Error(`${this.maker.kind.plural} changed too much while they were read into the cache`);
    this.reset(filling);
    for (const event of since) if (event.revision > filling.revision) this.#apply(event, now);
    this.publish();
  }
  /** Takes a change; followers are told with `publish`. */
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

  /** Lets go of everything; what was read from here stays valid. */
  empty(): void {
    this.#filled = false;
    this.#aside = undefined;
    for (const run of this.#index.runs(this.prefix)) for (const entry of run) this.maker.slabs.release(entry);
    this.#index = KeyIndex.of([]);
    this.#snapshots.clear();
  }

  forget(revision: Revision): void {
    this.#ring.forget(revision);
    this.#snapshots.forget(revision);
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
    if (prior !== undefined) this.maker.slabs.release(prior);
    if (next !== undefined || prior !== undefined || failure !== undefined) {
      this.#staged.push({ key, revision, next, prior, failure, at: now });
    }
  }

  /** Tells followers what was applied. */
  publish(): void {
    if (this.#staged.length === 0) return;
    const events = this.#staged;
    this.#staged = [];
    const first = this.#ring.end;
    this.#ring.push(events);
    this.#resize();
    this.meter.dispatched(events.length);
    const { revision, at } = events.at(-1)!;
    this.#snapshots.step(revision, this.#index, events.length, at);
    this.frames.outdate();
    this.#followers.tell(events, first);
    this.#unchecked += events.reduce((sum, event) => sum + bytesOf(event), 0);
    if (this.#unchecked < checkEveryBytes) return;
    this.#unchecked = 0;
    this.#followers.checkAll();
  }

  #resize(): void {
    const room = capacityFor(this.#ring.length, this.#room);
    this.meter.resized(this.#room, room);
    this.#room = room;
  }

  /** The returned function ends it. */
  follow(follower: Follower, where: Where): () => void {
    return this.#followers.add(follower, where);
  }
  endFollowers(): void {
    this.#followers.endAll();
  }

  /** Keeps what is there now for the rest of a list that has begun. */
  pin(revision: Revision, index: KeyIndex, now: number): void {
    this.#snapshots.pin(revision, index, now);
  }
  /** What was there at a revision that is not after the newest; undefined where that is not retained. */
  indexAt(revision: Revision, now: number): KeyIndex | undefined {
    return revision < this.#mended ? undefined : this.#snapshots.at(revision, this.#index, this.#ring, now);
  }
}

const checkEveryBytes = 1024 * 1024;
