/**
 * The turns of the thread. Requests of one thread do not run at the same time: those that arrive together would run in the order in which
 * their connections are read. When the thread has worked for a while, further requests wait, and get turns of a few requests: the level
 * that has used the least of the thread for its weight is next, and in a level its queues take turns. Turns of one request would part the
 * writes that share a commit of the store.
 */
import { bound } from "../../core/bound.ts";

/** Milliseconds of work after which requests wait for a turn, and of the work of one turn. */
export const turnMs = bound(2);
/** Milliseconds after which requests of the only active flow need no turns any more: no other flow has had a request meanwhile. */
export const aloneMs = bound(10_000);
/** Milliseconds of turns after which I/O runs, so that requests that have arrived meanwhile take part. */
export const ioMs = bound(5);
/** Requests of one turn. */
export const turnRequestsMax = bound(8);
/** Milliseconds that a request is assumed to work before any has been measured, and the least: the clock may not move in a turn. */
const guessedMs = 0.5, workMsMin = 0.01;
/** The part of the measured work of a turn in the next guess. */
const learned = 0.2;

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
  /** The lines whose requests have the present turn, one for each request. */
  #serving: Line[] = [];
  /** The milliseconds that a request works until its first wait for I/O. */
  #workMs = guessedMs;
  #isGiving = false;
  /** When the present work began, when the last request came, when the present turn began, and when I/O ran last. */
  #begun = -Infinity;
  #last = -Infinity;
  /** The flow of the last request, and when a request of another flow than the one before came. */
  #flow: string | undefined;
  #mixed = -Infinity;
  #turn = 0;
  #io = 0;
  /** What the line that was served last had had before. */
  #virtual = 0;

  constructor(clock: TurnClock) {
    this.#clock = clock;
  }

  /**
   * Returns whether a request that arrives now may run at once. It may if no request waits for a turn, and the thread was idle, has worked for less
   * than `turnMs`, or has had requests of this flow only. `flow` is the name of the flow with its schema.
   */
  isFree(now: number, flow: string): boolean {
    if (this.#flow !== flow) {
      if (this.#flow !== undefined) this.#mixed = now;
      this.#flow = flow;
    }
    if (this.#isGiving) return false;
    const gap = now - this.#last;
    this.#last = now;
    if (gap > turnMs) this.#begun = now;
    return now - this.#begun < turnMs || now - this.#mixed > aloneMs;
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
    this.#arm();
  }

  /** The turn ends when its requests wait for I/O: the second function runs directly after their work. */
  #arm(): void {
    this.#clock.soon(this.#give);
    this.#clock.soon(this.#end);
  }

  readonly #give = (): void => {
    this.#turn = this.#clock.now();
    const most = Math.min(Math.max(Math.trunc(turnMs / this.#workMs), 1), turnRequestsMax);
    for (let line = this.#nextLine(); line !== undefined && this.#serving.length < most; line = this.#nextLine()) {
      this.#virtual = line.served;
      line.served += this.#workMs / line.weight;
      this.#serving.push(line);
      const run = taken(line);
      if (line.queues.size === 0) this.#lines.delete(line);
      run();
    }
  };

  readonly #end = (): void => {
    const now = this.#clock.now(), each = Math.max((now - this.#turn) / Math.max(this.#serving.length, 1), workMsMin);
    for (const line of this.#serving) line.served += (each - this.#workMs) / line.weight;
    this.#serving = [];
    this.#workMs += learned * (each - this.#workMs);
    if (this.#lines.size === 0) {
      this.#isGiving = false;
      this.#begun = this.#last = now;
    } else if (now - this.#io > ioMs) this.#clock.afterIo(this.#afterIo);
    else this.#arm();
  };

  readonly #afterIo = (): void => {
    this.#io = this.#clock.now();
    this.#arm();
  };

  #nextLine(): Line | undefined {
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
