/**
 * The main thread's side of heavy requests: one thread with one job at a time, so that memory is bounded by one body. The thread starts
 * with the first job and ends after an idle time. A thread whose job does not stop soon after its abort is terminated.
 */
import { limits } from "../../core/limits.ts";
import type { Access, CallWebhook, Waiting } from "../../core/access.ts";
import { StatusError } from "../../core/status-error.ts";
import { nextTurn } from "../../core/turns.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { offerAttributes } from "../cache/index/offered-attributes.ts";
import type { Store } from "../store/store.ts";
import { errorOf, plainError } from "./errors.ts";
import { type FairQueue, fairQueue } from "./fair-queue.ts";
import type { HeavyHost, HeavyJob, HeavyOutcome, HeavyRequest, HeavyWork } from "../request/hand-over.ts";
import type { AccessQuestion, FromHeavy, Question, ToHeavy } from "./messages.ts";

export interface HeavyThread {
  post(message: ToHeavy, transfer?: readonly ArrayBuffer[]): void;
  end(): Promise<void>;
}
/** Starts a thread. `died` is called at most once, and not after `end`. */
export type StartHeavyThread = (received: (message: FromHeavy) => void, died: (error: Error) => void) => HeavyThread;

export interface HeavyNeeds {
  readonly start: StartHeavyThread;
  readonly store: Store;
  readonly callWebhook: CallWebhook;
  readonly inForce: () => Pick<ActiveConfig, "config" | "catalog" | "appeared" | "admission">;
  /** Calls back after a delay, without keeping the process alive. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

export interface HeavyRequests extends HeavyWork {
  close(): Promise<void>;
}

interface Task {
  readonly job: HeavyJob;
  readonly request: HeavyRequest;
  readonly host: HeavyHost;
  readonly signal: AbortSignal;
  readonly done: PromiseWithResolvers<unknown>;
}

function askAccess(access: Access, question: AccessQuestion, waiting: Waiting): Promise<unknown> {
  switch (question.name) {
    case "authorize": {
      const [user, attributes] = question.args;
      return access.authorize(user, attributes, waiting);
    }
    case "rules":
      return access.rules(...question.args);
    case "authenticateToken":
      return access.authenticateToken(...question.args);
    case "issueToken":
      return access.issueToken(...question.args);
  }
}

export function heavyRequests(needs: HeavyNeeds): HeavyRequests {
  return new Requests(needs);
}

/** Bytes that can be transferred: a part of a shared buffer is copied. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

function ending(): StatusError {
  return new StatusError("ServiceUnavailable", "the server is shutting down", { details: { retryAfterSeconds: 1 } });
}

class Requests implements HeavyRequests {
  readonly #needs: HeavyNeeds;
  readonly #waiting: FairQueue<Task> = fairQueue(limits.heavyRequestsPerUserMax);
  #thread: HeavyThread | undefined;
  /** The catalog of the thread. */
  #catalog: Catalog | undefined;
  #running: Task | undefined;
  #cancelIdle = () => {};
  #cancelKill = () => {};
  #closed = false;

  constructor(needs: HeavyNeeds) {
    this.#needs = needs;
  }

  async run<Job extends HeavyJob>(job: Job, request: HeavyRequest, host: HeavyHost, signal: AbortSignal): Promise<HeavyOutcome[Job]> {
    signal.throwIfAborted();
    if (this.#closed) throw ending();
    const task: Task = { job, request, host, signal, done: Promise.withResolvers() };
    const owner = request.user.name;
    if (!this.#waiting.push(owner, task)) {
      throw new StatusError("TooManyRequests", "Too many requests, please try again later.", { details: { retryAfterSeconds: 1 } });
    }
    const abort = () => {
      task.done.reject(signal.reason);
      if (this.#running === task) this.#stop(task, signal.reason);
      else this.#waiting.remove(owner, task);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      this.#next();
      return await task.done.promise as HeavyOutcome[Job]; // The result of a job of that name.
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (let task = this.#waiting.next(); task !== undefined; task = this.#waiting.next()) task.done.reject(ending());
    this.#fail(ending());
    await this.#retire();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const task = this.#waiting.next();
    if (task === undefined) return this.#rest();
    this.#cancelIdle();
    this.#running = task;
    const { request, job, signal } = task;
    // A waiting job that was aborted is no longer in the queue, and a running one has just started.
    if (signal.aborted) return this.#finish();
    try {
      const body = ownBytes(request.body);
      this.#threadInForce().post({ tag: "job", job, request: { ...request, body }, milliseconds: limits.heavyRequestMsMax }, [body.buffer]);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A thread with the active catalog. */
  #threadInForce(): HeavyThread {
    const { config, catalog, appeared, admission } = this.#needs.inForce();
    if (this.#thread !== undefined && this.#catalog === catalog) return this.#thread;
    void this.#retire();
    this.#catalog = catalog;
    const thread = this.#needs.start(
      (message) => {
        if (this.#thread === thread) this.#received(message);
      },
      (error) => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#fail(error);
      },
    );
    this.#thread = thread;
    thread.post({ tag: "open", config, appeared, admission });
    return thread;
  }

  #received(message: FromHeavy): void {
    const task = this.#running;
    if (task === undefined) return;
    const { host, done } = task;
    switch (message.tag) {
      case "opened":
        return;
      case "warning":
        return host.warn(message.text);
      case "step":
        return host.step(message.what);
      case "admitted":
        return host.admitted(...message.step);
      case "ruled":
        return host.ruled(message.outcome);
      case "recorded":
        return host.recorded(message.recording);
      case "audited":
        return host.audited(message.note);
      case "report":
        return host.report(errorOf(message.error), message.reference);
      case "question":
        return void this.#answer(task, message.id, message.question);
      case "done": {
        const { outcome, heapBytes } = message;
        // Some memory is not freed by garbage collection.
        if (heapBytes > limits.heavyHeapBytesMax) void this.#retire();
        if (outcome.ok) done.resolve(outcome.value);
        else done.reject(errorOf(outcome.error));
        return this.#finish();
      }
    }
  }

  async #answer(task: Task, id: number, question: Question): Promise<void> {
    const thread = this.#thread;
    let message: ToHeavy;
    try {
      message = { tag: "answered", id, answer: { ok: true, value: await this.#ask(task, question) } };
    } catch (error) {
      message = { tag: "answered", id, answer: { ok: false, error: plainError(error) } };
    }
    if (this.#thread === thread && this.#running === task) thread?.post(message);
  }

  async #ask({ host, signal }: Task, question: Question): Promise<unknown> {
    const { store } = this.#needs;
    switch (question.op) {
      case "get": {
        const { entry, revision } = await store.get(question.key, signal);
        return { entry: entry && { ...entry, value: new Uint8Array(entry.value) }, revision };
      }
      case "list": {
        const { entries, ...rest } = await store.list(question.range, { ...question.page, signal });
        return { ...rest, entries: entries.map((entry) => ({ ...entry, value: new Uint8Array(entry.value) })) };
      }
      case "commit": {
        const { key, expect, value, ttlSeconds, frees, attributes } = question;
        if (value !== undefined && attributes !== undefined) offerAttributes(value, attributes);
        return await store.commit({ key, expect, value, frees, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) });
      }
      case "authorize":
        return await host.authorize(question.verb);
      case "webhook":
        return await this.#needs.callWebhook(question.call, signal);
      case "access":
        // To read a question about very many groups or audiences took long already.
        await nextTurn();
        return await askAccess(host.access, question, { signal });
    }
  }

  /** Aborts the running job; terminates its thread if it does not stop. */
  #stop(task: Task, reason: unknown): void {
    this.#thread?.post({ tag: "abort", reason: plainError(reason) });
    this.#cancelKill();
    this.#cancelKill = this.#needs.after(limits.heavyAbortMs, () => {
      if (this.#running !== task) return;
      void this.#retire();
      this.#finish();
    });
  }

  #fail(error: unknown): void {
    this.#running?.done.reject(error);
    this.#finish();
  }
  #finish(): void {
    this.#cancelKill();
    this.#running = undefined;
    this.#next();
  }
  #rest(): void {
    this.#cancelIdle();
    if (this.#thread !== undefined) this.#cancelIdle = this.#needs.after(limits.heavyIdleMs, () => void this.#retire());
  }
  async #retire(): Promise<void> {
    this.#cancelIdle();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }
}
