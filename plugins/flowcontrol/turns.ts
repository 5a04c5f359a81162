/**
 * The turns of the thread. Requests of one thread do not run at the same time: those that arrive together would run in the order in which
 * their connections are read. When the thread has worked for a while, further requests wait, and get turns one after another: the level
 * that has used the least of the thread for its weight is next, and in a level its queues take turns.
 */
import { bound } from "../../core/bound.ts";

/** Milliseconds of work after which requests wait for a turn. */
export const turnMs = bound(2);
/** Milliseconds of turns after which I/O runs, so that requests that have arrived meanwhile take part. */
export const ioMs = bound(5);
/** Milliseconds that a turn counts at least: the clock may not move in it. */
const chargedMsMin = 0.01;

/** The waiting requests of one level. */
export interface Line {
  /** The share of the thread. More than 0. */
  weight: number;
  /** The milliseconds of the thread that the level has had, by its weight. */
  served: number;
  /** The waiting requests by queue. The queue that is next is the first. */
  readonly queues: Map<number, (() => void)[]>;
}
export function newLine(): Line {
  return { weight: 1, served: 0, queues: new Map() };
}

export interface TurnClock {
  /** Milliseconds; never decreases. */
  now(): number;
  /** Runs a function in the next turn of the event loop. */
  soon(run: () => void): void;
  /** Runs a function after I/O. */
  afterIo(run: () => void): void;
}

export class Turns {
  readonly #clock: TurnClock;
  /** Lines with waiting requests. */
  readonly #lines = new Set<Line>();
  /** The line whose request has the present turn. */
  #serving: Line | undefined;
  #isGiving = false;
  /** When the present work began, when the last request came, when the present turn began, and when I/O ran last. */
  #begun = -Infinity;
  #last = -Infinity;
  #turn = 0;
  #io = 0;
  /** What the line that was served last had had before. */
  #virtual = 0;

  constructor(clock: TurnClock) {
    this.#clock = clock;
  }

  /** Whether a request that arrives now runs at once. Nobody waits, and the thread was idle or has not worked for long. */
  isFree(now: number): boolean {
    if (this.#isGiving) return false;
    const gap = now - this.#last;
    this.#last = now;
    if (gap > turnMs) this.#begun = now;
    return now - this.#begun < turnMs;
  }

  /** Calls `run` when it is the turn of the request. */
  wait(line: Line, queue: number, run: () => void): void {
    if (line.queues.size === 0) {
      line.served = Math.max(line.served, this.#virtual);
      this.#lines.add(line);
    }
    const waiting = line.queues.get(queue);
    if (waiting === undefined) line.queues.set(queue, [run]);
    else waiting.push(run);
    if (this.#isGiving) return;
    this.#isGiving = true;
    this.#io = this.#clock.now();
    this.#clock.soon(this.#next);
  }

  readonly #next = (): void => {
    const now = this.#clock.now(), line = this.#nextLine(now);
    if (line === undefined) {
      this.#isGiving = false;
      this.#begun = this.#last = now;
      return;
    }
    if (now - this.#io > ioMs) {
      this.#clock.afterIo(this.#afterIo);
      return;
    }
    this.#serving = line;
    this.#virtual = line.served;
    this.#turn = now;
    const run = taken(line);
    if (line.queues.size === 0) this.#lines.delete(line);
    // The request works until its first wait for I/O; then the next turn begins.
    this.#clock.soon(this.#next);
    run();
  };

  readonly #afterIo = (): void => {
    this.#io = this.#clock.now();
    this.#next();
  };

  /** Ends the present turn. */
  #nextLine(now: number): Line | undefined {
    if (this.#serving !== undefined) this.#serving.served += Math.max(now - this.#turn, chargedMsMin) / this.#serving.weight;
    this.#serving = undefined;
    let best: Line | undefined;
    for (const line of this.#lines) if (best === undefined || line.served < best.served) best = line;
    return best;
  }
}

/** Takes the first request of the queue that is next, which becomes the last one. */
function taken({ queues }: Line): () => void {
  const [queue, waiting] = queues.entries().next().value!; // a line of the set has a queue
  const run = waiting.shift()!; // and a queue a request
  queues.delete(queue);
  if (waiting.length > 0) queues.set(queue, waiting);
  return run;
}
