/** The clock of a test server. */
import { afterCollecting, pause, type ServerClock, systemClock } from "../core/async.ts";
import { bound } from "../core/bound.ts";
import { nextTurn } from "../core/turns.ts";
import { millisecondsOf } from "./milliseconds.ts";

/** Times that one advance stops at. A timer that is set again for each millisecond would stop it for ever. */
const stopsMax = bound(1_000_000);
/** Turns of timers without work after which a time with changes is over, and those before an advance begins and when it ends, in which watches are delivered. */
const quietTurns = 2, deliveryTurns = 10;
/** Immediate turns of the event loop without work after which a time without changes is over. A run of the store in memory waits for one of them. */
const quietImmediates = 4;
/** Immediate turns that are tried before turns of timers. Deno polls I/O only in those: one of them is made after so many milliseconds, too. */
const immediatesMax = 100, immediatesMs = 20;
/** Turns of timers that work of one time may take. Work that waits for a later time would never end. */
const turnsMax = bound(100_000);

/** What a store has done so far. */
export interface StoreWork {
  /** Calls of any kind. */
  readonly runs: number;
  /** The newest revision. */
  readonly revision: number;
}

/** The time of a test server. */
export interface TestClock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Advances the time, step by step: timers run in their order, and the work that they begin ends before the next one. Resolves when
   * all of it is done. What is not controlled by the clock may end later: the garbage collector, and work that waits for timers of the machine.
   *
   * @param by milliseconds, or a duration of Go, such as `1h30m`
   */
  advance(by: number | string): Promise<void>;
}

interface Timer {
  at: number;
  readonly run: () => void;
}

/** A clock that stands still until it is advanced. It is for one server. */
export class AdvancedClock implements ServerClock, TestClock {
  readonly #timers = new Set<Timer>();
  #now: number;
  #held = 0;
  /** Work in progress that waits for a later time. */
  #waiting = 0;
  /** How often the clock was held. */
  #holds = 0;
  #store: StoreWork | undefined;
  /** The last turn of timers, in milliseconds of the machine. */
  #polledAt = 0;
  /** The last advance: they follow each other. */
  #advance = Promise.resolve();

  /** `start`: the first time, in milliseconds since 1970. */
  constructor(start: number) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;
  readonly elapsed = this.now;

  readonly after = (ms: number, run: () => void): () => void => {
    // What is due at once belongs to the present time.
    if (ms <= 0) return afterCollecting(0, run, this);
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  readonly hold = (): () => void => {
    this.#held++;
    this.#holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held--;
      isHeld = false;
    };
  };

  /** Waits so many milliseconds, or until the signal aborts, in the midst of work that may hold the clock. The clock goes on meanwhile. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    this.#waiting++;
    await pause(ms, signal, this);
    this.#waiting--;
  }

  /**
   * Follows the work of a store. At a time at which it changes nothing no watch has anything to deliver, so that the time needs no turns of timers.
   * Without a store each time has them.
   */
  follow(store: StoreWork): void {
    this.#store = store;
  }

  advance(by: number | string): Promise<void> {
    const ms = millisecondsOf(by);
    return this.#after(() => this.#to(ms));
  }

  /** Goes back to an earlier time, after the advances that were begun. Timers are due after the same duration as before. */
  setBack(time: number): Promise<void> {
    return this.#after(() => {
      for (const timer of this.#timers) timer.at += time - this.#now;
      this.#now = time;
    });
  }

  #after(step: () => void | Promise<void>): Promise<void> {
    const done = this.#advance.then(step);
    this.#advance = done.catch(() => {});
    return done;
  }

  async #to(ms: number): Promise<void> {
    await this.#settle(deliveryTurns);
    const until = this.#now + ms;
    for (let stops = 0;; stops++) {
      const next = this.#next(until);
      if (next === undefined) break;
      if (stops === stopsMax) throw new Error(`the clock stopped ${stopsMax} times within ${ms} ms: a timer is set again each time`);
      this.#now = Math.max(this.#now, next);
      const before = this.#store?.revision;
      for (const timer of [...this.#timers]) {
        if (timer.at <= this.#now && this.#timers.delete(timer)) timer.run();
      }
      if (before === undefined || !await this.#settleAtOnce(before)) await this.#settle(quietTurns);
    }
    this.#now = until;
    await this.#settle(deliveryTurns);
  }

  /** The time of the next timer that is due by then. */
  #next(until: number): number | undefined {
    let first: number | undefined;
    for (const { at } of this.#timers) if (at <= until && (first === undefined || at < first)) first = at;
    return first;
  }

  /** Resolves with true when all work has ended without a change of the store, with false if turns of timers are needed. */
  async #settleAtOnce(revision: number): Promise<boolean> {
    const store = this.#store!; // the caller has seen it
    for (let quiet = 0, all = 0; quiet < quietImmediates;) {
      if (all++ === immediatesMax || store.revision !== revision) return false;
      const { runs } = store, holds = this.#holds;
      await this.#immediateTurn();
      quiet = this.#held <= this.#waiting && store.runs === runs && this.#holds === holds ? quiet + 1 : 0;
    }
    return true;
  }

  async #immediateTurn(): Promise<void> {
    const now = systemClock.elapsed();
    if (now - this.#polledAt < immediatesMs) return await new Promise<void>((resolve) => void setImmediate(resolve));
    this.#polledAt = now;
    await nextTurn();
  }

  /** Resolves when nothing has held the clock for so many turns. */
  async #settle(turns: number): Promise<void> {
    for (let quiet = 0, all = 0; quiet < turns; quiet = this.#held <= this.#waiting ? quiet + 1 : 0) {
      if (all++ === turnsMax) throw new Error(`work at ${new Date(this.#now).toISOString()} does not end`);
      await turn();
    }
  }
}

/** Resolves when what was done before has been delivered to watches. */
export async function delivered(): Promise<void> {
  for (let done = 0; done < deliveryTurns; done++) await turn();
}

/** Resolves in the next turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void systemClock.after(0, resolve));
}

/** The clock of the machine, which cannot be advanced. */
export const unmovedClock: TestClock = Object.freeze({
  now: systemClock.now,
  advance: () => Promise.reject(new Error('this server follows the clock of the machine: open it with the option clock: "manual"')),
});
