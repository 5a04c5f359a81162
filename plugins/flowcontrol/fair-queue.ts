/**
 * The requests of one priority level: those that run, and those that wait in queues. Pure: times are passed in, in seconds.
 *
 * A request takes one or more seats while it runs. When seats are free, the queue whose head would have finished first, had all queues been
 * served at the same time, gets them (start-time fair queuing). A head that needs more seats than are free waits for them, and no other
 * request overtakes it: wide requests do not starve.
 */
import { idleQueuesMax, waitingMax } from "./bounds.ts";
import { Demand } from "./demand.ts";
import { Hands } from "./hand.ts";
import { type Linked, RunningList } from "./running.ts";

/** What a request is assumed to take before it has ended, in seconds. */
export const guessedSeconds = 0.003;

/** The queues of a level; undefined if requests without free seats are rejected. */
export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** Why a request was not run, as the metrics call it. */
export type Rejection = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

/** A request in the level. `T` is what the caller keeps with it. */
export interface Ticket<T> extends Linked<Ticket<T>> {
  readonly of: T;
  readonly seats: number;
  readonly flow: string;
  readonly arrived: number;
  /** waiting ──> running ──> over; waiting ──> over. */
  state: "waiting" | "running" | "over";
  /** When it began to run. */
  begun: number;
  /** Undefined in a level without queues. */
  readonly queue: Queue<T> | undefined;
}

export interface Queue<T> {
  readonly index: number;
  readonly waiting: Ticket<T>[];
  readonly running: RunningList<Ticket<T>>;
  waitingSeats: number;
  runningSeats: number;
  /** The virtual time at which the head begins. */
  next: number;
  /** The number of the last request that began in the level when one of this queue began: equal queues take turns. */
  served: number;
}

export class FairQueue<T> {
  #limit: number;
  #queuing: Queuing | undefined;
  #hands: Hands | undefined;
  /** The queues that have requests, and a few idle ones, so that a level with few requests need not make one for each. */
  readonly #queues = new Map<number, Queue<T>>();
  /** The number of queues that have requests. */
  #active = 0;
  /** Running requests of a level without queues. */
  readonly #loose = new RunningList<Ticket<T>>();
  readonly #granted: (ticket: Ticket<T>) => void;
  #virtual = 0;
  #seen = 0;
  #waiting = 0;
  #waitingSeats = 0;
  #running = 0;
  #runningSeats = 0;
  readonly demand = new Demand();
  readonly counts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };

  /** `granted` is called for each request that waited and now runs. */
  constructor(limit: number, queuing: Queuing | undefined, granted: (ticket: Ticket<T>) => void) {
    this.#limit = limit;
    this.#queuing = queuing;
    this.#hands = handsOf(queuing);
    this.#granted = granted;
  }

  get waiting(): number {
    return this.#waiting;
  }
  get running(): number {
    return this.#running;
  }
  get runningSeats(): number {
    return this.#runningSeats;
  }
  get limit(): number {
    return this.#limit;
  }
  get isIdle(): boolean {
    return this.#waiting + this.#running === 0;
  }
  /** The virtual time: the seconds of service that a queue that always had requests would have got. */
  get virtual(): number {
    return this.#virtual;
  }

  /** A new request: it runs, or waits, or is rejected. */
  enter(of: T, seats: number, flow: string, now: number): Ticket<T> | Rejection {
    this.#advance(now);
    if (this.#hands === undefined) {
      if (!this.#hasRoom(seats)) return this.#rejected("concurrency-limit");
      const ticket = newTicket(of, seats, flow, now, undefined);
      this.#loose.add(ticket);
      this.#run(ticket, now);
      return ticket;
    }
    const queue = this.#shortest(this.#hands.of(flow)), { queueLengthLimit } = this.#queuing!; // there are hands
    const isFull = queue.waiting.length >= queueLengthLimit && this.#runningSeats >= this.#limit;
    if (isFull || this.#waiting >= waitingMax) return this.#rejected("queue-full");
    if (isIdle(queue)) {
      queue.next = this.#virtual;
      this.#active++;
    }
    const ticket = newTicket(of, seats, flow, now, queue);
    if (this.#waiting === 0 && this.#hasRoom(seats)) this.#start(queue, ticket, now);
    else {
      queue.waiting.push(ticket);
      queue.waitingSeats += seats;
      this.#waiting++;
      this.#waitingSeats += seats;
    }
    this.#noteDemand(now);
    return ticket;
  }

  /** A running request has ended. */
  end(ticket: Ticket<T>, now: number): void {
    if (ticket.state !== "running") return;
    this.#advance(now);
    ticket.state = "over";
    this.#running--;
    this.#runningSeats -= ticket.seats;
    const { queue, seats } = ticket;
    if (queue === undefined) this.#loose.remove(ticket);
    else {
      queue.running.remove(ticket);
      queue.runningSeats -= seats;
      queue.next += seats * (now - ticket.begun - guessedSeconds);
      this.#forgetIdle(queue);
    }
    this.#dispatch(now);
    this.#noteDemand(now);
  }

  /** A waiting request leaves. Has no effect on one that runs. */
  leave(ticket: Ticket<T>, why: "time-out" | "cancelled", now: number): boolean {
    const { queue } = ticket;
    if (ticket.state !== "waiting" || queue === undefined) return false;
    this.#advance(now);
    ticket.state = "over";
    queue.waiting.splice(queue.waiting.indexOf(ticket), 1);
    this.#unqueue(queue, ticket);
    this.#forgetIdle(queue);
    this.counts[why === "time-out" ? "timedOut" : "cancelled"]++;
    // A wide head may have left.
    this.#dispatch(now);
    this.#noteDemand(now);
    return true;
  }

  /** Changes the number of seats, and the queues for requests that come from now on. */
  configure(limit: number, queuing: Queuing | undefined, now: number): void {
    this.#advance(now);
    const before = this.#queuing;
    if (before?.queues !== queuing?.queues || before?.handSize !== queuing?.handSize) this.#hands = handsOf(queuing);
    this.#queuing = queuing;
    this.#limit = limit;
    this.#dispatch(now);
  }

  /** The queues that have requests. */
  queues(): readonly Queue<T>[] {
    return [...this.#queues.values()].filter((queue) => !isIdle(queue));
  }
  /** The running requests that are in no queue. */
  loose(): readonly Ticket<T>[] {
    return this.#loose.all();
  }

  /** Of a hand, the queue with the least work: waiting seats, then running ones. */
  #shortest(hand: readonly number[]): Queue<T> {
    let best: Queue<T> | undefined;
    for (const index of hand) {
      const queue = this.#queues.get(index);
      if (queue === undefined) return this.#newQueue(index);
      if (isIdle(queue)) return queue;
      const isShorter = best === undefined || queue.waitingSeats < best.waitingSeats ||
        (queue.waitingSeats === best.waitingSeats && queue.runningSeats < best.runningSeats);
      if (isShorter) best = queue;
    }
    return best!; // a hand is not empty
  }

  #newQueue(index: number): Queue<T> {
    const queue = { index, waiting: [], running: new RunningList<Ticket<T>>(), waitingSeats: 0, runningSeats: 0, next: 0, served: 0 };
    this.#queues.set(index, queue);
    return queue;
  }

  #hasRoom(seats: number): boolean {
    // A request that needs more seats than there are runs alone.
    return this.#running === 0 || this.#runningSeats + seats <= this.#limit;
  }

  /** Runs waiting requests while there are seats. */
  #dispatch(now: number): void {
    while (this.#waiting > 0) {
      const queue = this.#nextQueue(), ticket = queue.waiting[0]!; // only queues with waiting requests
      if (!this.#hasRoom(ticket.seats)) return;
      queue.waiting.shift();
      this.#unqueue(queue, ticket);
      this.#start(queue, ticket, now);
      this.#granted(ticket);
    }
  }

  #start(queue: Queue<T>, ticket: Ticket<T>, now: number): void {
    queue.running.add(ticket);
    queue.runningSeats += ticket.seats;
    queue.next += ticket.seats * guessedSeconds;
    this.#run(ticket, now);
    queue.served = this.counts.dispatched;
  }

  #nextQueue(): Queue<T> {
    let best: Queue<T> | undefined, least = Infinity;
    for (const queue of this.#queues.values()) {
      const [head] = queue.waiting;
      if (head === undefined) continue;
      const end = queue.next + head.seats * guessedSeconds;
      if (end < least || (end === least && queue.served < best!.served)) [best, least] = [queue, end]; // the least is that of a queue
    }
    return best!; // some request waits
  }

  #run(ticket: Ticket<T>, now: number): void {
    ticket.state = "running";
    ticket.begun = now;
    this.#running++;
    this.#runningSeats += ticket.seats;
    this.counts.dispatched++;
    if (ticket.queue === undefined) this.#noteDemand(now);
  }

  #unqueue(queue: Queue<T>, { seats }: Ticket<T>): void {
    queue.waitingSeats -= seats;
    this.#waiting--;
    this.#waitingSeats -= seats;
  }

  #forgetIdle(queue: Queue<T>): void {
    if (!isIdle(queue)) return;
    this.#active--;
    if (this.#queues.size > idleQueuesMax) this.#queues.delete(queue.index);
  }

  #rejected(why: Rejection): Rejection {
    this.counts.rejected++;
    return why;
  }

  #noteDemand(now: number): void {
    this.demand.set(this.#runningSeats + this.#waitingSeats, now);
  }

  /** Moves the virtual time on: each queue with requests gets an equal part of the seats in use. */
  #advance(now: number): void {
    const active = this.#active;
    if (active > 0) {
      const seats = Math.min(this.#runningSeats + this.#waitingSeats, this.#limit);
      this.#virtual += Math.max(now - this.#seen, 0) * seats / active;
    }
    this.#seen = now;
  }
}

function isIdle<T>({ waiting, running }: Queue<T>): boolean {
  return waiting.length + running.size === 0;
}

function newTicket<T>(of: T, seats: number, flow: string, now: number, queue: Queue<T> | undefined): Ticket<T> {
  return { of, seats, flow, arrived: now, state: "waiting", begun: now, queue, before: undefined, after: undefined };
}

function handsOf(queuing: Queuing | undefined): Hands | undefined {
  return queuing === undefined ? undefined : new Hands(queuing.queues, queuing.handSize);
}
