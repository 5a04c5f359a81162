/** Runs requests by their flow schema and priority level. As kube-apiserver's priority and fairness (KEP-1040). */
import {
  afterIo,
  type FlowControl,
  type FlowControlContext,
  type FlowControlDefinition,
  type FlowRequest,
  pause,
  type Place,
  systemClock,
} from "../../toolbox.ts";
import { StatusError } from "../../plugin.ts";
import { borrow } from "./borrow.ts";
import { waitMsMax } from "./bounds.ts";
import { Configured } from "./configured.ts";
import { ObjectCounts } from "./counts.ts";
import { dumpOf } from "./dump.ts";
import type { Rejection, Ticket } from "./fair-queue.ts";
import { followConfigured } from "./follow.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import type { Schema } from "./level.ts";
import type { PriorityLevelConfiguration } from "./priority-level-schema.ts";
import { Seat } from "./seat.ts";
import { type TurnClock, Turns } from "./turns.ts";
import { listWidth, sendsObjects } from "./width.ts";

/** Milliseconds after which levels borrow seats anew. */
const borrowMs = 10_000;

const threadClock: TurnClock = Object.freeze({
  now: () => performance.now(),
  soon: (run: () => void) => void setImmediate(run),
  afterIo,
});

export const flowControl: FlowControlDefinition = Object.freeze<FlowControlDefinition>({
  open(context) {
    const control = new FairControl(context, threadClock);
    void control.follow();
    return control;
  },
});

export class FairControl implements FlowControl {
  readonly #context: FlowControlContext;
  readonly #clock: TurnClock;
  readonly #epoch: number;
  readonly #objects: ObjectCounts;
  readonly #turns: Turns;
  readonly #configured: Configured;

  constructor(context: FlowControlContext, clock: TurnClock) {
    this.#context = context;
    this.#clock = clock;
    this.#epoch = systemClock.now() - clock.now();
    this.#turns = new Turns(clock);
    this.#objects = new ObjectCounts(context.countObjects, () => this.#now());
    this.#configured = new Configured(context, ({ of }) => of.granted(), this.#now());
  }

  /** Works until the signal of the context aborts. */
  async follow(): Promise<void> {
    const { api, names, signal, logError, metric } = this.#context;
    const context = { api, names, signal, logError, clock: systemClock };
    const following = followConfigured(context, (schemas, levels) => this.configure(schemas, levels));
    while (!signal.aborted) {
      await pause(borrowMs, signal, systemClock);
      this.#configured.refresh(this.#now());
      borrow(this.#configured.levels.values(), metric, this.#now());
    }
    await following;
  }

  /** Uses these objects, and the built-in ones in place of mandatory ones that are missing. */
  configure(schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[]): void {
    this.#configured.use(schemas, levels, this.#now());
  }

  enter(request: FlowRequest): Place | Promise<Place> {
    const { user, attributes } = request, schema = this.#configured.schemaOf(user, attributes), { level } = schema;
    const seats = level.isExempt ? 1 : this.#seatsOf(schema, attributes), now = this.#now();
    const seat = new Seat(schema, request, this.#release);
    const flow = level.isExempt ? "" : schema.flows.of(user, attributes);
    schema.series.estimated.observe(seats);
    const ticket = level.queue.enter(seat, seats, flow, now);
    if (typeof ticket === "string") return this.#refuse(seat, ticket);
    seat.ticket = ticket;
    if (ticket.state === "waiting") return this.#waitForSeats(seat, ticket, request);
    if (level.isExempt || this.#turns.isFree(now * 1000, flow)) return this.#begin(seat, ticket, now);
    return new Promise((resolve) => this.#waitForTurn(seat, ticket, request, resolve));
  }

  debugText(path: string, query: { first(name: string): string }): string | undefined {
    return dumpOf(path, query, this.#configured.levels.values(), this.#epoch);
  }

  /** Seconds. */
  #now(): number {
    return this.#clock.now() / 1000;
  }

  /** The seats of a request that has ended, or of a watch that has begun, are free. */
  readonly #release = ({ schema: { series, level } }: Seat, ticket: Ticket<Seat>, isWatch: boolean): void => {
    const now = this.#now();
    series[isWatch ? "began" : "ran"].observe(Math.max(now - ticket.begun, 0));
    series.executing.add(-1);
    series.executingSeats.add(-ticket.seats);
    level.queue.end(ticket, now);
    this.#configured.ended(level);
  };

  #waitForSeats(seat: Seat, ticket: Ticket<Seat>, request: FlowRequest): Promise<Place> {
    const { series, level } = seat.schema, { signal } = request;
    series.queueLength.observe(ticket.queue?.waiting.length ?? 0);
    series.queued.add(1);
    series.queuedSeats.add(ticket.seats);
    return new Promise((resolve) => {
      const over = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", left);
        series.queued.add(-1);
        series.queuedSeats.add(-ticket.seats);
      };
      const leave = (why: "time-out" | "cancelled") => {
        if (!level.queue.leave(ticket, why, this.#now())) return;
        over();
        this.#configured.ended(level);
        series.waitedInVain.observe(Math.max(this.#now() - ticket.arrived, 0));
        resolve(this.#refuse(seat, why));
      };
      const left = () => leave("cancelled");
      const timer = setTimeout(() => leave("time-out"), Math.min(request.allowedMs / 4, waitMsMax));
      seat.granted = () => {
        over();
        this.#waitForTurn(seat, ticket, request, resolve);
      };
      signal.addEventListener("abort", left);
      if (signal.aborted) left();
    });
  }

  /** The request has its seats. */
  #waitForTurn(seat: Seat, ticket: Ticket<Seat>, { signal }: FlowRequest, resolve: (place: Place) => void): void {
    const { line } = seat.schema.level;
    this.#turns.wait(line, ticket.queue?.index ?? 0, () => {
      if (!signal.aborted) return resolve(this.#begin(seat, ticket, this.#now()));
      seat.schema.level.queue.end(ticket, this.#now());
      this.#configured.ended(seat.schema.level);
      resolve(this.#refuse(seat, "cancelled"));
    });
  }

  #begin(seat: Seat, ticket: Ticket<Seat>, now: number): Seat {
    const { series, level } = seat.schema;
    series.dispatched.add();
    series.executing.add(1);
    series.executingSeats.add(ticket.seats);
    seat.hasBegun = true;
    if (!level.isExempt) {
      series.waited.observe(Math.max(now - ticket.arrived, 0));
      ticket.begun = now;
    }
    return seat;
  }

  #refuse(seat: Seat, why: Rejection): Seat {
    const { schema } = seat;
    schema.series.rejected(why);
    seat.refusal = new StatusError("TooManyRequests", "Too many requests, please try again later.", {
      details: { retryAfterSeconds: schema.level.retryAfter.rejected(this.#now()) },
    });
    return seat;
  }

  #seatsOf({ level }: Schema<Seat>, attributes: FlowRequest["attributes"]): number {
    const { verb, query, group, resource, name, isResourceRequest } = attributes;
    if (!isResourceRequest || (verb !== "list" && verb !== "watch") || name !== "") return 1;
    if (verb === "watch" && !sendsObjects(query)) return 1;
    return listWidth(this.#objects.of(group, resource), query, level.widest);
  }
}
