/**
 * The recent changes of one kind, oldest first. Each has a sequence number, which is what cursors remember:
 *
 *   first = 7        end = 12
 *   |  7  8  9 10 11 |             start: the revision after which nothing is missing
 *
 * What is older than `keptMs`, or beyond the bounds, is dropped from the left, whole revisions at a time.
 */
import type { WatchType } from "../../reads/reads.ts";
import type { Revision } from "../../store/store.ts";
import type { CachedEntry } from "../index/entry.ts";

export interface RingEvent {
  readonly key: string;
  readonly revision: Revision;
  /** The state after; undefined when the key was deleted. */
  readonly next: CachedEntry | undefined;
  /** The state before; undefined when the key was new. */
  readonly prior: CachedEntry | undefined;
  /** Why the state after cannot be shown. */
  readonly failure: unknown;
  readonly at: number;
}

/** How an event looks to somebody; DELETED shows the state before, the others the one after. */
export type Verdict = Exclude<WatchType, "BOOKMARK" | "ERROR">;

export interface RingBounds {
  readonly keptMs: number;
  readonly bytesMax: number;
  readonly eventsMax: number;
}

export class EventRing {
  readonly #bounds: RingBounds;
  #events: RingEvent[] = [];
  /** How many at the head of the array are dropped already. */
  #dropped = 0;
  /** Sequence number of the array's first element. */
  #base = 0;
  #start: Revision;
  #bytes = 0;
  /** Bytes of all events that there ever were, and of those before each of the array. */
  #sum = 0;
  #sums: number[] = [];

  constructor(start: Revision, bounds: RingBounds) {
    this.#start = start;
    this.#bounds = bounds;
  }

  /** Everything after this revision is here. */
  get start(): Revision {
    return this.#start;
  }
  get first(): number {
    return this.#base + this.#dropped;
  }
  get end(): number {
    return this.#base + this.#events.length;
  }
  get length(): number {
    return this.end - this.first;
  }
  get bytes(): number {
    return this.#bytes;
  }

  /** `sequence` lies between `first` and `end`. */
  at(sequence: number): RingEvent {
    return this.#events[sequence - this.#base]!;
  }

  /** How many bytes of events there are from a sequence on; Infinity where it is dropped. */
  bytesFrom(sequence: number): number {
    if (sequence >= this.end) return 0;
    return sequence < this.first ? Infinity : this.#sum - this.#sums[sequence - this.#base]!;
  }

  /** The first event after a revision. */
  after(revision: Revision): number {
    let low = this.#dropped, high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.revision > revision) high = middle;
      else low = middle + 1;
    }
    return this.#base + low;
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

  /** Drops what is not after a revision: the store has forgotten it, too. */
  forget(revision: Revision): void {
    this.#dropWhile((event) => event.revision <= revision);
    this.#start = Math.max(this.#start, revision);
  }

  #isOver(now: number, event: RingEvent): boolean {
    const { keptMs, bytesMax, eventsMax } = this.#bounds;
    return event.at < now - keptMs || this.#bytes > bytesMax || this.length > eventsMax;
  }

  #dropWhile(isOver: (event: RingEvent) => boolean): void {
    for (;;) {
      const event = this.#events[this.#dropped];
      if (event === undefined || (event.revision !== this.#start && !isOver(event))) break;
      this.#start = event.revision;
      this.#bytes -= bytesOf(event);
      this.#dropped++;
    }
    if (this.#dropped <= this.#events.length / 2) return;
    this.#base += this.#dropped;
    this.#events = this.#events.slice(this.#dropped);
    this.#sums = this.#sums.slice(this.#dropped);
    this.#dropped = 0;
  }
}

/** Whether an event concerns those who follow ownership only. What cannot be read may. */
export function touchesOwnership({ prior, next, failure }: RingEvent): boolean {
  return failure !== undefined || prior?.attributes.ownership !== next?.attributes.ownership;
}

/** Room for `events`, as upstream makes it: doubled where it is not enough, halved where three quarters are left over. */
export function capacityFor(events: number, before: number): number {
  let room = before;
  while (room < events) room *= 2;
  while (room > capacityMin && events < room / 4) room /= 2;
  return room;
}
export const capacityMin = 100;

/** Roughly what an event keeps in memory. */
export function bytesOf({ next, prior }: RingEvent): number {
  return 200 + (next?.length ?? 0) + (prior?.length ?? 0);
}
