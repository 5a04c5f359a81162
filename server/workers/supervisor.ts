/**
 * Keeps the workers of a server running, and answers what one of them asks about all.
 *
 *   starting ──> ready ──> ended ──> (after a pause) starting       The first worker starts alone: it creates what all share.
 *       └────────────────────^                                      After `close` an ended worker is not started again.
 *
 * A ready worker that does not answer is killed, and one whose start does not go on, which ends them.
 */
import { type Clock, elapsedClock, once, pause, untilAborted } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { MetricPart } from "../../metrics/mod.ts";
import type { LineSink } from "../../protocols/files/line-sink.ts";
import type { PageFacts } from "../status-page/reply.ts";
import type { ControllerRow } from "../status-page/state.ts";
import type { Log, LogFields } from "../../kernel/observe/log.ts";
import type { RecentError } from "../log/recent-errors.ts";
import { stopsAnswering, stopsStarting } from "./answering.ts";
import { type Channel, PipeChannel } from "./channel.ts";
import type { GroupMetrics } from "./group-metrics.ts";
import type { Close, GroupQuestion, Ready, WorkerQuestion } from "./messages.ts";
import { bound } from "../../core/bound.ts";
import { workerAnswerMs, workerUnreadyEndMs } from "./bounds.ts";
import { recentErrorsMax } from "../log/recent-errors.ts";

/** Milliseconds before a worker that has ended is started again. The pause doubles with each end. */
export const workerRestartMs = bound(100);
/** Longest pause, in milliseconds, before a worker that has ended is started again. */
export const workerRestartMsMax = bound(30_000);
/** Milliseconds after which a worker that ends counts as one that had run well: the next pause is the first one again. */
const workerSteadyMs = bound(60_000);

/** The end of a process. */
export interface Exit {
  /** 128 plus the number of a signal, as a shell. */
  readonly code: number;
  readonly signal?: string;
}

export interface WorkerProcess {
  readonly pid: number;
  /** Writes to its standard input. */
  send(text: string): void;
  /** Ends it with SIGKILL. No effect after it has ended. */
  kill(): void;
  /** Resolves when it has ended and its output was read. */
  readonly exited: Promise<Exit>;
}

/** Starts a worker on a port. `output` gets each line of its standard output; the standard error is the log. */
export type StartWorker = (worker: number, port: number, output: (line: string) => void) => WorkerProcess;

export interface SupervisorOptions {
  readonly count: number;
  /** 0 selects a free port. */
  readonly port: number;
  readonly start: StartWorker;
  readonly metrics: GroupMetrics;
  readonly log: Log;
  /** The last errors of the supervisor's own log. */
  readonly recentErrors: () => readonly RecentError[];
  /** The audit log. Undefined if there is none. */
  readonly auditLog: LineSink | undefined;
  /** Takes lines that workers print. */
  readonly print: (line: string) => void;
  readonly clock?: Clock;
}

export interface Supervisor {
  readonly ready: Ready;
  /** All workers read configuration and credentials again. */
  reload(): Promise<void>;
  /** Ends all workers, and resolves with the exit code of the server: 0 if all ended well. */
  close(): Promise<number>;
}

/** The first worker ended by itself before it was ready. It has reported the error. */
export class WorkerFailed extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`the first worker ended with code ${code}`);
    this.code = code;
  }
}

type State =
  | { readonly tag: "starting"; readonly channel: Channel<WorkerQuestion, Close> }
  | { readonly tag: "ready"; readonly channel: Channel<WorkerQuestion, Close> }
  | { readonly tag: "ended"; readonly because: string };

/** What the processes of a group share. */
interface Group {
  readonly options: SupervisorOptions;
  readonly clock: Clock;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  become(worker: number, state: State): void;
  answer(question: GroupQuestion): Promise<unknown>;
}

/** A worker that was started: one process. It is killed if it hangs. */
class WorkerRun {
  /** Never resolves if it ends before it is ready. */
  readonly ready: Promise<Ready>;
  readonly exited: Promise<Exit>;
  readonly #worker: number;
  readonly #group: Group;
  readonly #process: WorkerProcess;
  readonly #channel: Channel<WorkerQuestion, Close>;
  /** Aborts at the end of the process. */
  readonly #life = new AbortController();
  /** Aborts when the worker is ready or has ended. */
  readonly #starting = new AbortController();
  #wasKilled = false;
  #wasReady = false;

  constructor(worker: number, port: number, group: Group) {
    this.#worker = worker;
    this.#group = group;
    const { start, print } = group.options, { promise, resolve } = Promise.withResolvers<Ready>();
    this.ready = promise;
    const process = this.#process = start(worker, port, (line) => {
      const output = channel.take(line);
      if (output !== "") print(output);
    });
    const channel = new PipeChannel<WorkerQuestion, Close, GroupQuestion, Ready>({
      send: process.send,
      answer: (question) => group.answer(question),
      noticed: (notice) => {
        this.#becomeReady();
        resolve(notice);
      },
    });
    this.#channel = channel;
    group.become(worker, { tag: "starting", channel });
    this.#guardStart();
    this.exited = process.exited.then((exit) => this.#end(exit));
  }
  /** Whether it was killed here because it hung. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }
  get wasReady(): boolean {
    return this.#wasReady;
  }
  #becomeReady(): void {
    this.#starting.abort();
    this.#wasReady = true;
    this.#group.become(this.#worker, { tag: "ready", channel: this.#channel });
    this.#group.options.log.info("a worker is ready", this.#names);
    void stopsAnswering(this.#ping, this.#life.signal, this.#group.clock).then((unansweredMs) => {
      if (unansweredMs !== undefined) this.#kill("a worker does not answer and is killed", { unansweredMs });
    });
  }
  #guardStart(): void {
    const { clock, closing, options } = this.#group, { signal } = this.#starting;
    void stopsStarting(this.#ping, signal, clock).then((quietMs) => {
      if (quietMs !== undefined) this.#kill("a worker does not get ready and is killed", { withoutProgressMs: quietMs });
    });
    // A worker that is not ready serves no requests. It ends by itself, unless it hangs or still loads its modules.
    void untilAborted(AbortSignal.any([closing, signal])).then(() => pause(2 * workerUnreadyEndMs, signal, clock)).then(() => {
      if (signal.aborted) return;
      options.log.info("a worker that was starting is killed", this.#names);
      this.#process.kill();
    });
  }
  #end(exit: Exit): Exit {
    const because = exit.signal === undefined ? `it ended with code ${exit.code}` : `it was ended by ${exit.signal}`;
    this.#starting.abort();
    this.#life.abort();
    this.#channel.close(new Error(because));
    this.#group.become(this.#worker, { tag: "ended", because });
    return exit;
  }
  #kill(because: string, fields: LogFields): void {
    this.#group.options.log.error(because, { ...this.#names, ...fields });
    this.#wasKilled = true;
    this.#process.kill();
  }
  readonly #ping = (signal: AbortSignal): Promise<unknown> => this.#channel.ask({ what: "ping" }, signal);
  get #names(): LogFields {
    return { worker: this.#worker, pid: this.#process.pid };
  }
}

/** Resolves when all workers are ready. Rejects with WorkerFailed. */
export async function supervise(options: SupervisorOptions): Promise<Supervisor> {
  const group = new WorkerGroup(options);
  const ready = await group.start();
  return { ready, reload: () => group.reload(), close: once(() => group.close()) };
}

class WorkerGroup implements Group {
  readonly options: SupervisorOptions;
  readonly clock: Clock;
  readonly #workers: readonly number[];
  readonly #states: Map<number, State>;
  readonly #closing = new AbortController();
  /** The ends of all workers: see `#keep`. */
  #kept: readonly Promise<number>[] = [];
  #port: number;
  /** Whether any worker was ready. */
  #isServing = false;

  constructor(options: SupervisorOptions) {
    this.options = options;
    this.clock = options.clock ?? elapsedClock;
    this.#port = options.port;
    this.#workers = Array.from({ length: options.count }, (_, index) => index + 1);
    this.#states = new Map(this.#workers.map((worker) => [worker, { tag: "ended", because: "it has not started yet" }]));
  }
  get closing(): AbortSignal {
    return this.#closing.signal;
  }
  /** Starts the first worker, and the others once it is ready. Resolves when all are ready, with the address of the first. */
  async start(): Promise<Ready> {
    const [firstWorker = 1, ...others] = this.#workers, firstReady = Promise.withResolvers<Ready>();
    const keptFirst = this.#keep(firstWorker, this.#begin(firstWorker), firstReady.resolve);
    const ready = await Promise.race([firstReady.promise, keptFirst.then(() => firstReady.promise)]);
    this.#port = ready.port;
    const begun = others.map((worker) => ({ worker, run: this.#begin(worker) }));
    this.#kept = [keptFirst, ...begun.map(({ worker, run }) => this.#keep(worker, run))];
    // One that ends before it is ready is started again, as later.
    await Promise.all(begun.map(({ run }) => Promise.race([run.ready, run.exited])));
    return ready;
  }
  async reload(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => this.#ask(worker, { what: "reload" }).catch(() => {}))); // Each logs its own result.
  }
  async close(): Promise<number> {
    this.#closing.abort();
    for (const state of this.#states.values()) if (state.tag !== "ended") state.channel.notify("close");
    const codes = await Promise.all(this.#kept);
    await this.options.auditLog?.close();
    return codes.find((code) => code !== 0) ?? 0;
  }
  become(worker: number, state: State): void {
    if (state.tag === "ready") this.#isServing = true;
    this.#states.set(worker, state);
    this.options.metrics.states(this.options.count, [...this.#states.values()].filter(({ tag }) => tag === "ready").length);
  }
  #begin(worker: number): WorkerRun {
    return new WorkerRun(worker, this.#port, this);
  }

  /**
   * Starts a worker again whenever it ends. Resolves with its exit code after `close`, 0 if it was not ready. `firstReady` gets its first
   * address. Rejects with WorkerFailed if it ends by itself before any worker was ready.
   */
  async #keep(worker: number, first: WorkerRun, firstReady?: (ready: Ready) => void): Promise<number> {
    const { clock, options: { metrics, log } } = this;
    let current = first, pauseMs: number = workerRestartMs;
    for (;;) {
      if (firstReady !== undefined) void current.ready.then(firstReady);
      const began = clock.now(), exit = await current.exited;
      if (this.#closing.signal.aborted) return current.wasReady ? exit.code : 0;
      if (!this.#isServing && !current.wasKilled) throw new WorkerFailed(exit.code);
      metrics.ended(worker);
      if (clock.now() - began >= workerSteadyMs) pauseMs = workerRestartMs;
      log.error("a worker has ended and is started again", { worker, ...exit, pauseMs });
      await pause(pauseMs, this.#closing.signal, clock);
      pauseMs = Math.min(2 * pauseMs, workerRestartMsMax);
      if (this.#closing.signal.aborted) return 0;
      current = this.#begin(worker);
    }
  }

  async answer(question: GroupQuestion): Promise<unknown> {
    switch (question.what) {
      case "metrics":
        if (question.restarts) this.options.metrics.restart(question.which);
        return await this.options.metrics.text(
          question.which,
          this.#workers,
          (worker) => this.#ask<readonly MetricPart[]>(worker, question),
        );
      case "health":
        return await this.#failureOf(question);
      case "page":
        return await this.#pageFacts(question);
      case "audit": {
        const { auditLog } = this.options;
        if (auditLog === undefined) throw new Error("there is no audit log");
        const encoder = new TextEncoder();
        return [...await auditLog.append(question.lines.map((line) => encoder.encode(line)))];
      }
    }
  }

  /** The answer of one worker. Rejects if it is not there or does not answer in time. `T`: messages.ts has the types. */
  async #ask<T>(worker: number, question: WorkerQuestion): Promise<T> {
    const state = this.#states.get(worker)!;
    if (state.tag === "ended") throw new Error(state.because);
    return await state.channel.ask(question, AbortSignal.timeout(workerAnswerMs)) as T;
  }

  /** The last errors of all processes, and each controller where it does not wait for another process. */
  async #pageFacts(question: WorkerQuestion & { readonly what: "page" }): Promise<PageFacts> {
    const all = await Promise.all(
      this.#workers.map((worker) => this.#ask<PageFacts>(worker, question).catch(() => ({ errors: [], controllers: [] }))),
    );
    const errors = [...all.flatMap((each) => each.errors), ...this.options.recentErrors()].toSorted((one, other) => other.at - one.at);
    const controllers = new Map<string, ControllerRow>();
    for (const row of all.flatMap((each) => each.controllers)) {
      const other = controllers.get(row.name), shown = other === undefined || other.doing === "waiting" ? row : other;
      controllers.set(row.name, { ...shown, failures: row.failures + (other?.failures ?? 0) });
    }
    return { errors: errors.slice(0, recentErrorsMax), controllers: [...controllers.values()] };
  }

  async #failureOf({ worker, endpoint }: GroupQuestion & { readonly what: "health" }): Promise<string> {
    const state = this.#states.get(worker);
    if (state === undefined) return "there is no such worker";
    if (state.tag !== "ready") {
      if (this.#closing.signal.aborted) return endpoint === "readyz" ? "shutdown" : "";
      // It is started again here, so the server as a whole goes on.
      if (endpoint !== "readyz") return "";
      return state.tag === "starting" ? "it is starting" : state.because;
    }
    try {
      return (await this.#ask<readonly string[]>(worker, { what: "health", endpoint })).join(", ");
    } catch (error) {
      return `it does not answer: ${reasonOf(error)}`;
    }
  }
}
