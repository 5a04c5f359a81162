/**
 * The main thread's side of heavy requests: one thread with one job at a time, so that memory is bounded by one body. Jobs that wait for the
 * answer of a webhook do not hold others: a bounded number of them is beside the one that runs. The thread starts with the first job and ends
 * after an idle time. A thread whose job does not stop soon after its abort is terminated.
 */
import type { Access, CallWebhook, Waiting, WebhookCall, WebhookOutcome } from "../../core/access.ts";
import { StatusError } from "../../core/status-error.ts";
import { nextTurn } from "../../core/turns.ts";
import { type ActiveConfig, differInAppearedOnly } from "../config/active-config.ts";
import { offerAttributes } from "../../kernel/cache/index/offered-attributes.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import type { Store } from "../../kernel/store/store.ts";
import { errorOf, plainError } from "./errors.ts";
import { type FairQueue, fairQueue } from "./fair-queue.ts";
import type { DocumentWork, MadeDocument, MakeDocument } from "../aggregation/made-documents.ts";
import type { HeavyHost, HeavyJob, HeavyOutcome, HeavyRequest, HeavyWork } from "../../kernel/request/hand-over.ts";
import type { AccessQuestion, FromHeavy, JobMessage, Question, ToHeavy } from "./messages.ts";
import { bound } from "../../core/bound.ts";
import { heavyHeapBytesMax } from "./bounds.ts";

/** Waiting heavy requests of one user. More are rejected with 429. */
export const heavyRequestsPerUserMax = bound(64);
/** Heavy requests that have begun: one runs, the others wait for webhooks. */
export const heavyJobsMax = bound(16);
/** Heavy requests that may wait for one webhook. */
export const heavyCallsOfWebhookMax = bound(4);
/** Milliseconds from the abort of a heavy request to the termination of its thread. */
export const heavyAbortMs = bound(1_000);
/** Milliseconds without requests after which the heavy thread ends. */
export const heavyIdleMs = bound(30_000);
/** Milliseconds after which a document of those of other servers is given up. */
export const documentMsMax = bound(30_000);
/** Milliseconds of a heavy request in its thread. The deadline on the main thread is earlier. */
const heavyRequestMsMax = bound(3_600_000);

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
  readonly inForce: () => InForce;
  readonly tracing?: Pick<Tracing, "step" | "part" | "bind"> | undefined;
  /** Calls back after a delay, without keeping the process alive. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

export interface HeavyRequests extends HeavyWork {
  /** Makes a document that belongs to no request. Rejects after `documentMsMax`, and as requests do. */
  readonly makeDocument: MakeDocument;
  close(): Promise<void>;
}

interface Task {
  readonly owner: string;
  /** Sends the job to its thread. */
  readonly post: (thread: HeavyThread, id: number) => void;
  /** Undefined for a job without a request, which asks for nothing. */
  readonly host: HeavyHost | undefined;
  readonly signal: AbortSignal;
  readonly done: PromiseWithResolvers<unknown>;
  /** The time at which the job began to wait, by `performance.now()`. */
  readonly queuedAt: number;
  /** Runs what the thread asks for as a part of the request's trace. */
  readonly within: <T>(run: () => T) => T;
  /** Number of calls of webhooks by this job that are in progress. */
  calls: number;
  cancelKill: () => void;
}
/** What a heavy thread is opened with. */
type InForce = Pick<ActiveConfig, "config" | "plugins" | "catalog" | "appeared" | "admission">;

/** A thread and its jobs by id. It takes new ones until there are other settings or plugins, or its heap is too large. */
interface Running {
  readonly thread: HeavyThread;
  readonly tasks: Map<number, Task>;
  /** What the next job runs with. */
  inForce: InForce;
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

function endingError(): StatusError {
  return new StatusError("ServiceUnavailable", "the server is shutting down", { details: { retryAfterSeconds: 1 } });
}

function terminatedError(): StatusError {
  return new StatusError("ServiceUnavailable", "the thread of large requests was terminated, please try again", {
    details: { retryAfterSeconds: 1 },
  });
}

const directly = <T>(run: () => T): T => run();

class Requests implements HeavyRequests {
  readonly #needs: HeavyNeeds;
  readonly #waiting: FairQueue<Task> = fairQueue(heavyRequestsPerUserMax);
  /** The thread that takes new jobs. */
  #current: Running | undefined;
  /** All threads with jobs. */
  readonly #running = new Set<Running>();
  /** Calls of webhooks in progress, by URL or kubeconfig file. */
  readonly #calls = new Map<string, number>();
  #lastId = 0;
  #cancelIdle = () => {};
  #closed = false;

  constructor(needs: HeavyNeeds) {
    this.#needs = needs;
  }

  run<Job extends HeavyJob>(job: Job, request: HeavyRequest, host: HeavyHost, signal: AbortSignal): Promise<HeavyOutcome[Job]> {
    const { tracing } = this.#needs, run = () => this.#run(job, request, host, signal);
    return tracing === undefined ? run() : tracing.step("heavy thread", { job, "body.size": request.body.length }, run);
  }

  makeDocument(work: DocumentWork, ends: AbortSignal): Promise<MadeDocument> {
    const signal = AbortSignal.any([ends, AbortSignal.timeout(documentMsMax)]);
    const task = {
      owner: "",
      host: undefined,
      signal,
      post: (thread: HeavyThread, id: number) => thread.post({ tag: "document", id, work }),
    };
    return this.#take(task) as Promise<MadeDocument>; // The result of such a job.
  }

  #run<Job extends HeavyJob>(job: Job, request: HeavyRequest, host: HeavyHost, signal: AbortSignal): Promise<HeavyOutcome[Job]> {
    const post = (thread: HeavyThread, id: number) => {
      const body = ownBytes(request.body), milliseconds = heavyRequestMsMax;
      thread.post({ tag: "job", id, job, request: { ...request, body }, milliseconds }, [body.buffer]);
    };
    return this.#take({ owner: request.user.name, post, host, signal }) as Promise<HeavyOutcome[Job]>; // The result of a job of that name.
  }

  async #take(wanted: Pick<Task, "owner" | "post" | "host" | "signal">): Promise<unknown> {
    const { owner, signal } = wanted;
    signal.throwIfAborted();
    if (this.#closed) throw endingError();
    const within = this.#needs.tracing?.bind() ?? directly, queuedAt = performance.now();
    const task: Task = { ...wanted, done: Promise.withResolvers(), queuedAt, within, calls: 0, cancelKill() {} };
    if (!this.#waiting.push(owner, task)) {
      throw new StatusError("TooManyRequests", "Too many requests, please try again later.", { details: { retryAfterSeconds: 1 } });
    }
    const abort = () => {
      task.done.reject(signal.reason);
      if (!this.#stop(task, signal.reason)) this.#waiting.remove(owner, task);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      this.#next();
      return await task.done.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelIdle();
    for (let task = this.#waiting.next(); task !== undefined; task = this.#waiting.next()) task.done.reject(endingError());
    const threads = new Set([...this.#running, ...(this.#current === undefined ? [] : [this.#current])]);
    await Promise.all([...threads].map((running) => this.#end(running, endingError())));
  }

  /** Starts the next job, unless one runs that does not wait for a webhook. */
  #next(): void {
    const tasks = [...this.#running].flatMap((running) => [...running.tasks.values()]);
    if (tasks.length >= heavyJobsMax || tasks.some(({ calls }) => calls === 0)) return;
    const task = this.#waiting.next();
    if (task === undefined) return tasks.length === 0 ? this.#rest() : undefined;
    this.#cancelIdle();
    const running = this.#threadInForce(), id = ++this.#lastId;
    running.tasks.set(id, task);
    this.#running.add(running);
    const { signal, queuedAt } = task;
    task.within(() => this.#needs.tracing?.part({ name: "wait for the heavy thread", begun: queuedAt, ended: performance.now() }));
    // A waiting job that was aborted is no longer in the queue, and a running one has just started.
    if (signal.aborted) return this.#finish(running, id);
    try {
      task.post(running.thread, id);
    } catch (error) {
      task.done.reject(error);
      this.#finish(running, id);
    }
  }

  /** A thread with the active catalog. If only definitions have changed, the present thread gets the new ones; else another thread is started. */
  #threadInForce(): Running {
    const inForce = this.#needs.inForce(), current = this.#current;
    if (current === undefined) return this.#start(inForce);
    if (current.inForce.catalog === inForce.catalog) return current;
    if (!differInAppearedOnly(current.inForce, inForce)) {
      this.#retire(current);
      return this.#start(inForce);
    }
    current.thread.post({ tag: "appeared", appeared: inForce.appeared });
    current.inForce = inForce;
    return current;
  }

  #start(inForce: InForce): Running {
    let isOpen = true;
    const thread = this.#needs.start(
      (message) => {
        if (isOpen) this.#received(running, message);
      },
      (error) => {
        isOpen = false;
        this.#forget(running);
        this.#failAll(running, error);
      },
    );
    const running: Running = { thread, tasks: new Map(), inForce };
    this.#current = running;
    const { config, appeared, admission } = inForce;
    thread.post({ tag: "open", config, appeared: appeared, admission });
    return running;
  }

  #received(running: Running, message: FromHeavy): void {
    if (message.tag === "opened") return;
    const { job: id } = message, task = running.tasks.get(id);
    if (task === undefined) return;
    task.within(() => this.#receivedOf(running, task, message));
  }

  #receivedOf(running: Running, task: Task, message: JobMessage & { readonly job: number }): void {
    const { host, done } = task, { job: id } = message;
    switch (message.tag) {
      case "warning":
        return host?.warn(message.text);
      case "step":
        return host?.step(message.what);
      case "admitted":
        return host?.admitted(...message.step);
      case "ruled":
        return host?.ruled(message.outcome);
      case "recorded":
        return host?.recorded(message.recording);
      case "audited":
        return host?.audited(message.note);
      case "report":
        return host?.report(errorOf(message.error), message.reference);
      case "question":
        return void this.#answer(running, id, task, message);
      case "done": {
        const { outcome, heapBytes } = message;
        // Some memory is not freed by garbage collection.
        const isWorn = heapBytes > heavyHeapBytesMax;
        if (outcome.ok) done.resolve(outcome.value);
        else done.reject(errorOf(outcome.error));
        return this.#finish(running, id, isWorn);
      }
    }
  }

  async #answer(running: Running, job: number, task: Task, { id, question }: FromHeavy & { tag: "question" }): Promise<void> {
    let message: ToHeavy;
    const owned: ArrayBuffer[] = [];
    try {
      message = { tag: "answered", job, id, answer: { ok: true, value: await this.#ask(task, question, owned) } };
    } catch (error) {
      message = { tag: "answered", job, id, answer: { ok: false, error: plainError(error) } };
    }
    if (running.tasks.get(job) === task) running.thread.post(message, owned);
  }

  /** Adds buffers of the answer that are its own to `owned`, to be transferred. */
  async #ask(task: Task, question: Question, owned: ArrayBuffer[]): Promise<unknown> {
    const { store } = this.#needs, { host, signal } = task;
    if (host === undefined) throw new Error("A job without a request asks for nothing");
    switch (question.op) {
      case "get": {
        const { entry, revision } = await store.get(question.key, signal);
        if (entry === undefined) return { entry, revision };
        const value = new Uint8Array(entry.value);
        owned.push(value.buffer);
        return { entry: { ...entry, value }, revision };
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
        return await this.#call(task, question.call);
      case "access":
        // A call about very many groups or audiences has already taken long to read.
        await nextTurn();
        return await askAccess(host.access, question, { signal });
    }
  }

  /** Calls a webhook; other jobs run meanwhile. The jobs of one webhook cannot hold all places. */
  async #call(task: Task, call: WebhookCall): Promise<WebhookOutcome> {
    const url = "url" in call.webhook ? call.webhook.url : call.webhook.kubeconfig, calls = this.#calls.get(url) ?? 0;
    if (calls >= heavyCallsOfWebhookMax) return { tag: "busy" };
    this.#calls.set(url, calls + 1);
    task.calls++;
    this.#next();
    try {
      return await this.#needs.callWebhook(call, task.signal);
    } finally {
      task.calls--;
      const left = this.#calls.get(url)! - 1; // set above
      if (left > 0) this.#calls.set(url, left);
      else this.#calls.delete(url);
    }
  }

  /** Aborts a job that has begun; terminates its thread if it does not stop. Returns false if it has not begun. */
  #stop(task: Task, reason: unknown): boolean {
    for (const running of this.#running) {
      for (const [id, each] of running.tasks) {
        if (each !== task) continue;
        running.thread.post({ tag: "abort", job: id, reason: plainError(reason) });
        task.cancelKill();
        task.cancelKill = this.#needs.after(heavyAbortMs, () => {
          if (running.tasks.get(id) === task) void this.#end(running, terminatedError());
        });
        return true;
      }
    }
    return false;
  }

  /** The job has ended. `isWorn`: its thread takes no other ones. */
  #finish(running: Running, id: number, isWorn = false): void {
    running.tasks.get(id)?.cancelKill();
    running.tasks.delete(id);
    if (isWorn || running !== this.#current) this.#retire(running);
    else if (running.tasks.size === 0) this.#running.delete(running);
    this.#next();
  }

  #rest(): void {
    this.#cancelIdle();
    const idle = this.#current;
    if (idle !== undefined) this.#cancelIdle = this.#needs.after(heavyIdleMs, () => this.#retire(idle));
  }

  /** Gives the thread no new jobs. It ends with its last one. */
  #retire(running: Running): void {
    if (this.#current === running) {
      this.#cancelIdle();
      this.#current = undefined;
    }
    if (running.tasks.size > 0) return;
    this.#forget(running);
    void running.thread.end();
  }

  /** Ends a thread, and fails its jobs. */
  async #end(running: Running, error: unknown): Promise<void> {
    this.#forget(running);
    const ended = running.thread.end();
    this.#failAll(running, error);
    await ended;
  }

  #forget(running: Running): void {
    if (this.#current === running) this.#current = undefined;
    this.#running.delete(running);
  }

  #failAll({ tasks }: Running, error: unknown): void {
    for (const task of tasks.values()) {
      task.cancelKill();
      task.done.reject(error);
    }
    tasks.clear();
    if (!this.#closed) this.#next();
  }
}
