/** A priority level that is in use, and the schemas that lead to it. */
import type { MetricOf } from "../../toolbox.ts";
import { Flows } from "./classify.ts";
import { FairQueue, type Ticket } from "./fair-queue.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import { flowMetrics } from "./metrics.ts";
import type { PriorityLevelConfiguration, QueuingConfiguration } from "./priority-level-schema.ts";
import { RetryAfter } from "./retry-after.ts";
import { type Seats, smoothed } from "./seats-of-levels.ts";
import { type Line, newLine } from "./turns.ts";
import { widestOf } from "./width.ts";

/** A level. `T` is what waits in it. */
export class Level<T> {
  object: PriorityLevelConfiguration;
  readonly queue: FairQueue<T>;
  readonly retryAfter = new RetryAfter();
  /** Its requests that wait for a turn of the thread. */
  readonly line: Line = newLine();
  seats: Seats;
  /** The most seats that one request may take. */
  widest: number;
  /** Whether its object is gone. Its requests end. */
  isEnding = false;
  #smoothed = 0;

  constructor(object: PriorityLevelConfiguration, seats: Seats, granted: (ticket: Ticket<T>) => void) {
    this.object = object;
    this.seats = seats;
    this.widest = 1;
    this.queue = new FairQueue(0, undefined, granted);
  }

  get name(): string {
    return this.object.metadata.name ?? "";
  }
  get isExempt(): boolean {
    return this.object.spec.type === "Exempt";
  }
  get queuing(): QueuingConfiguration | undefined {
    return this.object.spec.limited?.limitResponse.queuing;
  }

  /** The object or the seats have changed. A new level begins with half of what it may lend. */
  configure(object: PriorityLevelConfiguration, seats: Seats, isNew: boolean, now: number): void {
    this.object = object;
    this.seats = seats;
    this.isEnding = false;
    this.widest = widestOf(seats.nominal, this.queuing?.handSize);
    this.line.weight = Math.max(seats.nominal, 1);
    const { nominal, lower, upper } = seats, current = this.queue.limit;
    const limit = isNew || !Number.isFinite(current)
      ? nominal - Math.trunc((nominal - lower) / 2)
      : Math.min(Math.max(current, lower), upper);
    this.give(limit, now);
  }

  /** Ends a period of the demand. */
  period(now: number) {
    const { highest, average, deviation } = this.queue.demand.take(now);
    this.#smoothed = smoothed(this.#smoothed, average, deviation);
    return { highest, average, deviation, smoothed: this.#smoothed };
  }

  /** Gives the level so many seats, with those that it borrows and without those that it lends. */
  give(limit: number, now: number): void {
    this.queue.configure(this.isExempt || this.seats.isUnlimited ? Infinity : limit, this.queuing, now);
  }
}

/** A schema that is in use. */
export class Schema<T> {
  readonly object: FlowSchema;
  readonly level: Level<T>;
  readonly flows: Flows;
  readonly headers: Readonly<Record<string, string>>;
  readonly series: SchemaSeries;

  /** `before`: the schema of the same name in use so far. */
  constructor(object: FlowSchema, level: Level<T>, metric: MetricOf, before?: Schema<T>) {
    this.object = object;
    this.level = level;
    this.flows = new Flows(object);
    const { uid: schema = "" } = object.metadata, { uid } = level.object.metadata;
    // Built-in ones that are not stored yet have no UID.
    this.headers = Object.freeze<Record<string, string>>(
      schema === "" || uid === undefined ? {} : { "x-kubernetes-pf-flowschema-uid": schema, "x-kubernetes-pf-prioritylevel-uid": uid },
    );
    this.series = before?.level.name === level.name ? before.series : seriesOf(object.metadata.name ?? "", level.name, metric);
  }
}

/** The series of a schema, kept so that a request needs no look-up. */
export type SchemaSeries = ReturnType<typeof seriesOf>;
function seriesOf(flow_schema: string, priority_level: string, metric: MetricOf) {
  const labels = Object.freeze({ flow_schema, priority_level });
  return {
    executing: metric(flowMetrics.executing).with(labels),
    executingSeats: metric(flowMetrics.executingSeats).with(labels),
    queued: metric(flowMetrics.queued).with(labels),
    queuedSeats: metric(flowMetrics.queuedSeats).with(labels),
    dispatched: metric(flowMetrics.dispatched).with(labels),
    waited: metric(flowMetrics.waited).with({ ...labels, execute: "true" }),
    waitedInVain: metric(flowMetrics.waited).with({ ...labels, execute: "false" }),
    ran: metric(flowMetrics.ran).with({ ...labels, type: "regular" }),
    began: metric(flowMetrics.ran).with({ ...labels, type: "watch" }),
    queueLength: metric(flowMetrics.queueLength).with(labels),
    estimated: metric(flowMetrics.estimated).with(labels),
    rejected: (reason: string) => metric(flowMetrics.rejected).with({ ...labels, reason }).add(),
  };
}
