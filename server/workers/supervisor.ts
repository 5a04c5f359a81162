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
import { type Channel, openChannel } from "./channel.ts";
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

/** A worker that was started. */
interface Begun {
  /** Never resolves if it ends before it is ready. */
  readonly ready: Promise<Ready>;
  readonly exited: Promise<Exit>;
  /** Whether it was killed here because it hung. */
  readonly wasKilled: () => boolean;
  readonly wasReady: () => boolean;
}

/** Resolves when all workers are ready. Rejects with WorkerFailed. */
export async function supervise(options: SupervisorOptions): Promise<Supervisor> {
  const { count, log, metrics, start, recentErrors, auditLog, print, clock = elapsedClock } = options;
  const workers = Array.from({ length: count }, (_, index) => index + 1);
  const states = new Map<number, State>(workers.map((worker) => [worker, { tag: "ended", because: "it has not started yet" }]));
  const closing = new AbortController();
  let port = options.port, isServing = false;

  function become(worker: number, state: State): void {
    states.set(worker, state);
    metrics.states(count, [...states.values()].filter(({ tag }) => tag === "ready").length);
  }

  /** Starts a worker. Kills it if it hangs. */
  function begin(worker: number): Begun {
    const { promise: ready, resolve } = Promise.withResolvers<Ready>(), life = new AbortController(), starting = new AbortController();
    let wasKilled = false, wasReady = false;
    const process = start(worker, port, (line) => {
      const output = channel.take(line);
      if (output !== "") print(output);
    });
    const ping = (signal: AbortSignal) => channel.ask({ what: "ping" }, signal);
    const kill = (because: string, fields: LogFields) => {
      log.error(because, { worker, pid: process.pid, ...fields });
      wasKilled = true;
      process.kill();
    };
    const channel = openChannel<WorkerQuestion, Close, GroupQuestion, Ready>({
      send: process.send,
      answer,
      noticed(notice) {
        starting.abort();
        isServing = true;
        wasReady = true;
        become(worker, { tag: "ready", channel });
        log.info("a worker is ready", { worker, pid: process.pid });
        resolve(notice);
        void stopsAnswering(ping, life.signal, clock).then((unansweredMs) => {
          if (unansweredMs !== undefined) kill("a worker does not answer and is killed", { unansweredMs });
        });
      },
    });
    become(worker, { tag: "starting", channel });
    void stopsStarting(ping, starting.signal, clock).then((quietMs) => {
      if (quietMs !== undefined) kill("a worker does not get ready and is killed", { withoutProgressMs: quietMs });
    });
    // A worker that is not ready serves no requests. It ends by itself, unless it hangs or still loads its modules.
    void untilAborted(AbortSignal.any([closing.signal, starting.signal]))
      .then(() => pause(2 * workerUnreadyEndMs, starting.signal, clock))
      .then(() => {
        if (starting.signal.aborted) return;
        log.info("a worker that was starting is killed", { worker, pid: process.pid });
        process.kill();
      });
    const exited = process.exited.then((exit) => {
      const because = exit.signal === undefined ? `it ended with code ${exit.code}` : `it was ended by ${exit.signal}`;
      starting.abort();
      life.abort();
      channel.close(new Error(because));
      become(worker, { tag: "ended", because });
      return exit;
    });
    return { ready, exited, wasKilled: () => wasKilled, wasReady: () => wasReady };
  }

  /**
   * Starts a worker again whenever it ends. Resolves with its exit code after `close`, 0 if it was not ready. `firstReady` gets its first address. Rejects with WorkerFailed
   * if it ends by itself before any worker was ready.
   */
  async function keep(worker: number, first: Begun, firstReady?: (ready: Ready) => void): Promise<number> {
    let current = first, pauseMs: number = workerRestartMs;
    for (;;) {
      if (firstReady !== undefined) void current.ready.then(firstReady);
      const began = clock.now(), exit = await current.exited;
      if (closing.signal.aborted) return current.wasReady() ? exit.code : 0;
      if (!isServing && !current.wasKilled()) throw new WorkerFailed(exit.code);
      metrics.ended(worker);
      if (clock.now() - began >= workerSteadyMs) pauseMs = workerRestartMs;
      log.error("a worker has ended and is started again", { worker, ...exit, pauseMs });
      await pause(pauseMs, closing.signal, clock);
      pauseMs = Math.min(2 * pauseMs, workerRestartMsMax);
      if (closing.signal.aborted) return 0;
      current = begin(worker);
    }
  }

  async function answer(question: GroupQuestion): Promise<unknown> {
    switch (question.what) {
      case "metrics":
        return await metrics.text(question.which, workers, (worker) => ask<readonly MetricPart[]>(worker, question));
      case "health":
        return await failureOf(question);
      case "page":
        return await pageFacts(question);
      case "audit": {
        if (auditLog === undefined) throw new Error("there is no audit log");
        const encoder = new TextEncoder();
        return [...await auditLog.append(question.lines.map((line) => encoder.encode(line)))];
      }
    }
  }

  /** The answer of one worker. Rejects if it is not there or does not answer in time. `T`: messages.ts has the types. */
  async function ask<T>(worker: number, question: WorkerQuestion): Promise<T> {
    const state = states.get(worker)!;
    if (state.tag === "ended") throw new Error(state.because);
    return await state.channel.ask(question, AbortSignal.timeout(workerAnswerMs)) as T;
  }

  /** The last errors of all processes, and each controller where it does not wait for another process. */
  async function pageFacts(question: WorkerQuestion & { readonly what: "page" }): Promise<PageFacts> {
    const all = await Promise.all(workers.map((worker) => ask<PageFacts>(worker, question).catch(() => ({ errors: [], controllers: [] }))));
    const errors = [...all.flatMap((each) => each.errors), ...recentErrors()].toSorted((one, other) => other.at - one.at);
    const controllers = new Map<string, ControllerRow>();
    for (const row of all.flatMap((each) => each.controllers)) {
      const other = controllers.get(row.name), shown = other === undefined || other.doing === "waiting" ? row : other;
      controllers.set(row.name, { ...shown, failures: row.failures + (other?.failures ?? 0) });
    }
    return { errors: errors.slice(0, recentErrorsMax), controllers: [...controllers.values()] };
  }

  async function failureOf({ worker, endpoint }: GroupQuestion & { readonly what: "health" }): Promise<string> {
    const state = states.get(worker);
    if (state === undefined) return "there is no such worker";
    if (state.tag !== "ready") {
      if (closing.signal.aborted) return endpoint === "readyz" ? "shutdown" : "";
      // It is started again here, so the server as a whole goes on.
      if (endpoint !== "readyz") return "";
      return state.tag === "starting" ? "it is starting" : state.because;
    }
    try {
      return (await ask<readonly string[]>(worker, { what: "health", endpoint })).join(", ");
    } catch (error) {
      return `it does not answer: ${reasonOf(error)}`;
    }
  }

  const [firstWorker = 1, ...others] = workers, firstReady = Promise.withResolvers<Ready>();
  const keptFirst = keep(firstWorker, begin(firstWorker), firstReady.resolve);
  const ready = await Promise.race([firstReady.promise, keptFirst.then(() => firstReady.promise)]);
  port = ready.port;
  const begun = others.map((worker) => ({ worker, ...begin(worker) }));
  const kept = [keptFirst, ...begun.map(({ worker, ...rest }) => keep(worker, rest))];
  // One that ends before it is ready is started again, as later.
  await Promise.all(begun.map(({ ready, exited }) => Promise.race([ready, exited])));
  return {
    ready,
    async reload() {
      await Promise.all(workers.map((worker) => ask(worker, { what: "reload" }).catch(() => {}))); // Each logs its own result.
    },
    close: once(async () => {
      closing.abort();
      for (const state of states.values()) if (state.tag !== "ended") state.channel.notify("close");
      const codes = await Promise.all(kept);
      await auditLog?.close();
      return codes.find((code) => code !== 0) ?? 0;
    }),
  };
}
