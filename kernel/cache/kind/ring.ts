/**
 * The recent events of one kind, oldest first. Each has a sequence number, which cursors keep as their position:
 *
 *   first = 7        end = 12
 *   |  7  8  9 10 11 |             start: all events after this revision are in the ring
 *
 * Events older than `keptMs`, or beyond the bounds, are dropped from the left, whole revisions at a time.
 */
import { Fifo } from "../../../core/fifo.ts";
import type { WatchType } from "../../reads/reads.ts";
import type { Revision } from "../../store/store.ts";
import type { CachedEntry } from "../index/entry.ts";

export interface RingEvent {
  readonly key: string;
  readonly revision: Revision;
  /** The state after the event; undefined if the key was deleted. */
  readonly next: CachedEntry | undefined;
  /** The state before the event; undefined if the key was new. */
  readonly prior: CachedEntry | undefined;
  /** The error of decoding the state after the event, if it cannot be decoded. */
  readonly failure: unknown;
  readonly at: number;
}

/** The type of an event as one watch sees it. DELETED shows the state before the event, the other types the state after it. */
export type Verdict = Exclude<WatchType, "BOOKMARK" | "ERROR">;

export interface RingBounds {
  readonly keptMs: number;
  readonly bytesMax: number;
  readonly eventsMax: number;
}

export class EventRing {
  readonly #bounds: RingBounds;
  readonly #events = new Fifo<RingEvent>();
  /** Sequence number of the oldest event. */
  #first = 0;
  #start: Revision;
  #bytes = 0;
  /** Bytes of all events so far, and for each event of the ring the bytes of all events before it. */
  #sum = 0;
  readonly #sums = new Fifo<number>();

  /** `events`: those that it begins with. */
  constructor(start: Revision, bounds: RingBounds, events: readonly RingEvent[] = []) {
    this.#start = start;
    this.#bounds = bounds;
    this.push(events);
  }

  /** The revision after which the ring holds all events. */
  get start(): Revision {
    return this.#start;
  }
  get first(): number {
    return this.#first;
  }
  get end(): number {
    return this.#first + this.#events.length;
  }
  get length(): number {
    return this.#events.length;
  }
  get bytes(): number {
    return this.#bytes;
  }
  /** A ring with the same events. */
  copy(): EventRing {
    return new EventRing(this.#start, this.#bounds, this.#events.slice(0, this.length));
  }

  /** Returns an event; `sequence` must be at least `first` and less than `end`. */
  at(sequence: number): RingEvent {
    return this.#events.at(sequence - this.#first);
  }

  /** Bytes of the events from a sequence number on; Infinity if that event was dropped. */
  bytesFrom(sequence: number): number {
    if (sequence >= this.end) return 0;
    return sequence < this.first ? Infinity : this.#sum - this.#sums.at(sequence - this.#first);
  }

  /** The first event after a revision. */
  after(revision: Revision): number {
    let low = 0, high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events.at(middle).revision > revision) high = middle;
      else low = middle + 1;
    }
    return this.#first + low;
  }

  push(events: readonly RingEvent[]): void {
    for (const event of events) {
      this.#events.push(event);
      this.#sums.push(this.#sum);
      this.#sum += bytesOf(event);
      this.#bytes += bytesOf(event);
    }
    this.#dropWhile((event) => this.#isOver(events.at(-1)?.at ?? 0, event));
  }

  /** Drops the events that are too old now. `append` does it only when a new event arrives. */
  expire(now: number): void {
    this.#dropWhile((event) => event.at < now - this.#bounds.keptMs);
  }

  /** Drops the events up to a revision that the store has compacted. */
  forget(revision: Revision): void {
    this.#dropWhile((event) => event.revision <= revision);
    this.#start = Math.max(this.#start, revision);
  }

  #isOver(now: number, event: RingEvent): boolean {
    const { keptMs, bytesMax, eventsMax } = this.#bounds;
    return event.at < now - keptMs || this.#bytes > bytesMax || this.length > eventsMax;
  }

  #dropWhile(isOver: (event: RingEvent) => boolean): void {
    while (this.#events.length > 0) {
      const event = this.#events.at(0);
      if (event.revision !== this.#start && !isOver(event)) return;
      this.#start = event.revision;
      this.#bytes -= bytesOf(event);
      this.#events.shift();
      this.#sums.shift();
      this.#first++;
    }
  }
}

/** Whether an event changes ownership. An event whose state cannot be decoded counts as such, because it may. */
export function touchesOwnership({ prior, next, failure }: RingEvent): boolean {
  return failure !== undefined || prior?.attributes.ownership !== next?.attributes.ownership;
}

/** Whether an event creates an object without owner references, finalizers and deletion timestamp. */
export function createsUnowned({ prior, next, failure }: RingEvent): boolean {
  return failure === undefined && prior === undefined && next?.attributes.ownership === "";
}

/** Computes the capacity for `events` as upstream does: it is doubled if exceeded, and halved if at least three quarters are free. */
export function capacityFor(events: number, before: number): number {
  let capacity = before;
  while (capacity < events) capacity *= 2;
  while (capacity > capacityMin && events < capacity / 4) capacity /= 2;
  return capacity;
}
export const capacityMin = 100;

/** Approximate bytes that an event keeps in memory. */
export function bytesOf({ next, prior }: RingEvent): number {
  return 200 + (next?.length ?? 0) + (prior?.length ?? 0);
}
