/**
 * The states of a kind at earlier revisions. Two indexes share all unchanged chunks, so a kept state costs little. Some states are kept; a
 * state between two of them is computed by undoing events from the later one:
 *
 *   kept           a state         a state          the current index
 *   revision   10  [11]  12  14  17  [20]  21  23  [23]
 *   at 14:                    <- 17 <- 20 undone from the state at 20
 *
 * A state is retained for a time that starts when the next one replaces it, or, for a chunked list, when the list begins.
 */
import type { Revision } from "../../store/store.ts";
import type { CachedEntry } from "../index/entry.ts";
import type { KeyIndex } from "../index/key-index.ts";
import type { EventRing } from "./ring.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of changes between two kept states of a kind. A read at an exact revision undoes no more than these. */
export const snapshotEventsMax = bound(256);
/** Maximum number of concurrent chunked lists of one kind. Each of them keeps a state. */
const pinnedListsMax = bound(32);

interface Snapshot {
  readonly revision: Revision;
  readonly index: KeyIndex;
  /** Time until which the state is retained, in milliseconds since 1970. */
  readonly until: number;
}

export class Snapshots {
  readonly #keptMs: number;
  /** The kept states, in the order of their revisions. */
  #states: Snapshot[] = [];
  #pins: Snapshot[] = [];
  #events = 0;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** Records the state at a revision. `events` is the number of changes since the step before. */
  step(revision: Revision, index: KeyIndex, events: number, now: number): void {
    this.expire(now);
    this.#events += events;
    if (this.#events < snapshotEventsMax) return;
    this.#events = 0;
    this.#states.push({ revision, index, until: now + this.#keptMs });
  }

  /** Retains a state for the later chunks of a list that has begun with it. */
  pin(revision: Revision, index: KeyIndex, now: number): void {
    this.expire(now);
    if (this.#pins.some((pin) => pin.revision === revision)) return;
    this.#pins.push({ revision, index, until: now + this.#keptMs });
    if (this.#pins.length > pinnedListsMax) this.#pins.shift();
  }

  /** Returns the state at a revision that is not after `current`, the newest state. Undefined if it is not retained. */
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

  /** Drops all states before a revision. */
  forget(revision: Revision): void {
    this.#states = this.#states.filter((state) => state.revision >= revision);
    this.#pins = this.#pins.filter((pin) => pin.revision >= revision);
  }
  /** Drops the states that are too old now. Both lists are in the order of their ends. */
  expire(now: number): void {
    if ((this.#states[0]?.until ?? Infinity) <= now) this.#states = this.#states.filter(({ until }) => until > now);
    if ((this.#pins[0]?.until ?? Infinity) <= now) this.#pins = this.#pins.filter(({ until }) => until > now);
  }
  clear(): void {
    this.#states = [];
    this.#pins = [];
    this.#events = 0;
  }
}

/** Returns an index without the changes of the ring's events from `first` up to `end`. */
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
