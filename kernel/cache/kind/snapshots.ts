/**
 * What a kind held at earlier revisions. An index is a value that shares all but what changed with the one before it, so states
 * are kept as they come along, and what lies between two of them is found by taking changes back from the later one:
 *
 *   kept           a state         a state          the index of now
 *   revision   10  [11]  12  14  17  [20]  21  23  [23]
 *   at 14:                    <- 17 <- 20 taken back from the state at 20
 *
 * A state is retained for a time, counted from when it was the newest; one that a chunked list has begun with, from then on.
 */
import { limits } from "../../../core/limits.ts";
import type { Revision } from "../../store/store.ts";
import type { CachedEntry } from "../index/entry.ts";
import type { KeyIndex } from "../index/key-index.ts";
import type { EventRing } from "./ring.ts";

interface Snapshot {
  readonly revision: Revision;
  readonly index: KeyIndex;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export class Snapshots {
  readonly #keptMs: number;
  /** In the order of their revisions. */
  #states: Snapshot[] = [];
  #pins: Snapshot[] = [];
  #events = 0;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** Told of each step: `events` changes have led to this state. */
  step(revision: Revision, index: KeyIndex, events: number, now: number): void {
    this.#events += events;
    if (this.#events < limits.snapshotEventsMax) return;
    this.#events = 0;
    this.#states = this.#states.filter(({ until }) => until > now);
    this.#states.push({ revision, index, until: now + this.#keptMs });
  }

  /** Keeps a state for the rest of a list that has begun with it. */
  pin(revision: Revision, index: KeyIndex, now: number): void {
    this.#pins = this.#pins.filter(({ until }) => until > now);
    if (this.#pins.some((pin) => pin.revision === revision)) return;
    this.#pins.push({ revision, index, until: now + this.#keptMs });
    if (this.#pins.length > limits.pinnedListsMax) this.#pins.shift();
  }

  /** The state at a revision that is not after the newest, `current`; undefined where it is not retained. */
  at(revision: Revision, current: KeyIndex, ring: EventRing, now: number): KeyIndex | undefined {
    const pinned = this.#pins.find((pin) => pin.revision === revision && pin.until > now);
    if (pinned !== undefined) return pinned.index;
    if (revision < ring.start) return undefined;
    const first = ring.after(revision);
    if (first === ring.end) return current;
    if (ring.at(first).at <= now - this.#keptMs) return undefined;
    const later = this.#states.find((state) => state.revision >= revision);
    return undone(later?.index ?? current, ring, first, later === undefined ? ring.end : ring.after(later.revision));
  }

  /** Nothing from before a revision is known any more. */
  forget(revision: Revision): void {
    this.#states = this.#states.filter((state) => state.revision >= revision);
    this.#pins = this.#pins.filter((pin) => pin.revision >= revision);
  }
  clear(): void {
    this.#states = [];
    this.#pins = [];
    this.#events = 0;
  }
}

/** An index with the events of the ring from `first` up to `end` taken back. */
function undone(index: KeyIndex, ring: EventRing, first: number, end: number): KeyIndex {
  const before = new Map<string, CachedEntry | undefined>();
  for (let sequence = first; sequence < end; sequence++) {
    const { key, prior } = ring.at(sequence);
    if (!before.has(key)) before.set(key, prior);
  }
  let state = index;
  for (const [key, entry] of before) state = entry === undefined ? state.without(key) : state.with(entry);
  return state;
}
