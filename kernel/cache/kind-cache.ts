/** All that is remembered of one kind: what is there, what happened lately, and who follows it. */
import type { Revision, StoreEvent } from "../store/store.ts";
import { type Follower, type Followers, followers } from "./followers.ts";
import { type CachedEntry, type EntryMaker, makeEntry } from "./entry.ts";
import { type FrameShare, frameShare } from "./frame-share.ts";
import { KeyIndex } from "./key-index.ts";
import { bytesOf, EventRing, type RingBounds, type RingEvent } from "./ring.ts";

export class KindCache {
  readonly maker: EntryMaker;
  /** What the kind's keys begin with. */
  readonly prefix: string;
  readonly frames: FrameShare;
  readonly #bounds: RingBounds;
  readonly #followers: Followers;
  #index = KeyIndex.of([]);
  #ring: EventRing;
  /** Keys whose bytes cannot be read; what touches them is answered by the store itself. */
  readonly #broken = new Set<string>();
  #staged: RingEvent[] = [];
  /** Bytes of events since it was last looked who lags behind. */
  #unchecked = 0;
  #pins: { readonly revision: Revision; readonly index: KeyIndex; readonly until: number }[] = [];

  constructor(maker: EntryMaker, prefix: string, bounds: RingBounds) {
    this.maker = maker;
    this.prefix = prefix;
    this.#bounds = bounds;
    this.#ring = new EventRing(0, bounds);
    this.frames = frameShare(maker);
    this.#followers = followers(prefix);
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
      return undefined;
    }
  }

  /** Lets go of entries that will not be there after all. */
  giveUp(entries: readonly CachedEntry[]): void {
    for (const entry of entries) if (this.#index.get(entry.key) !== entry) this.maker.slabs.release(entry);
  }

  /** Begins anew from a list: nobody can follow from before to after it. */
  reset(entries: readonly CachedEntry[], broken: readonly string[], revision: Revision): void {
    this.#followers.endAll();
    const old = this.#index;
    this.#index = KeyIndex.of(entries);
    this.#ring = new EventRing(revision, this.#bounds);
    this.#pins = [];
    this.#staged = [];
    this.frames.clear();
    this.#broken.clear();
    for (const key of broken) this.#broken.add(key);
    for (const run of old.runs(this.prefix)) {
      for (const entry of run) if (this.#index.get(entry.key) !== entry) this.maker.slabs.release(entry);
    }
  }

  forget(revision: Revision): void {
    this.#ring.forget(revision);
    this.#pins = this.#pins.filter((pin) => pin.revision >= revision);
  }

  /** Takes a change into the index; followers are told with `publish`. */
  apply(event: StoreEvent, now: number): void {
    const { key, revision, value } = event;
    const prior = this.#index.get(key);
    this.#broken.delete(key);
    let next: CachedEntry | undefined;
    let failure: unknown;
    if (value !== undefined) {
      try {
        next = makeEntry(this.maker, key, revision, value);
      } catch (error) {
        failure = error;
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
    this.frames.outdate();
    this.#followers.tell(events, first);
    this.#unchecked += events.reduce((sum, event) => sum + bytesOf(event), 0);
    if (this.#unchecked < checkEveryBytes) return;
    this.#unchecked = 0;
    this.#followers.checkAll();
  }

  /** Follows the kind below a prefix, or one key. The returned function ends it. */
  follow(prefix: string, key: string | undefined, follower: Follower): () => void {
    return this.#followers.add(prefix, key, follower);
  }
  endFollowers(): void {
    this.#followers.endAll();
  }

  /** Keeps what is there now for the rest of a list that has begun. */
  pin(revision: Revision, index: KeyIndex, until: number): void {
    if (this.#pins.some((pin) => pin.revision === revision)) return;
    this.#pins.push({ revision, index, until });
    if (this.#pins.length > pinsMax) this.#pins.shift();
  }
  /** What was there at a revision that is not after the newest; undefined where that is no longer known. */
  indexAt(revision: Revision, now: number): KeyIndex | undefined {
    this.#pins = this.#pins.filter(({ until }) => until > now);
    const pinned = this.#pins.find((pin) => pin.revision === revision);
    if (pinned !== undefined) return pinned.index;
    const { ring } = this;
    return revision < ring.start ? undefined : this.#undone(revision);
  }

  /** The index with all that happened after a revision taken back. */
  #undone(revision: Revision): KeyIndex {
    const before = new Map<string, CachedEntry | undefined>();
    const { ring } = this;
    for (let sequence = ring.after(revision); sequence < ring.end; sequence++) {
      const { key, prior } = ring.at(sequence);
      if (!before.has(key)) before.set(key, prior);
    }
    let index = this.#index;
    for (const [key, entry] of before) index = entry === undefined ? index.without(key) : index.with(entry);
    return index;
  }
}

/** Lists of one kind that are read in chunks at the same time, before their chunks are found by taking changes back. */
const pinsMax = 32;
const checkEveryBytes = 1024 * 1024;
