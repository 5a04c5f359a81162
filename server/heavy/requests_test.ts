// Heavy requests with a fake thread: the queue, the deadline and the configuration.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebhookOutcome } from "../../core/access.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { StatusError } from "../../core/status-error.ts";
import { fakeRequestContext } from "../../core/test-context.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { noAdmissionConfiguration } from "../config/admission-configuration.ts";
import { withDefaults } from "../config/parse.ts";
import type { Store } from "../../kernel/store/store.ts";
import { plainError } from "./errors.ts";
import type { HeavyHost, HeavyRequest } from "../../kernel/request/hand-over.ts";
import type { FromHeavy, ToHeavy } from "./messages.ts";
import {
  heavyAbortMs,
  heavyCallsOfWebhookMax,
  heavyIdleMs,
  heavyJobsMax,
  type HeavyNeeds,
  heavyRequests,
  heavyRequestsPerUserMax,
} from "./requests.ts";
import { heavyHeapBytesMax } from "./bounds.ts";

const host: HeavyHost = {
  access: fakeRequestContext({} as HookContext).access, // Not called.
  warn() {},
  step() {},
  authorize: () => Promise.resolve(),
  admitted() {},
  ruled() {},
  audited() {},
  recorded() {},
  report() {},
};
const request = (name: string): HeavyRequest => ({
  method: "POST",
  url: `/${name}`,
  headers: {},
  remote: "",
  protocol: "HTTP/1.1",
  user: { name, groups: [] },
  body: new Uint8Array(3),
});
const reply = { status: 200, headers: {}, chunks: [], streamed: false };

/** A value of the store. */
const stored = Uint8Array.of(4, 5);

/** Threads and timers that the test controls. */
function scene() {
  const threads: {
    readonly got: ToHeavy[];
    readonly transferred: unknown[];
    ended: boolean;
    tell(message: FromHeavy): void;
    die(error: Error): void;
  }[] = [];
  const timers: { readonly milliseconds: number; readonly run: () => void }[] = [];
  const catalogNamed = (name: string) => ({ name }) as unknown as Catalog; // Compared, not read.
  const first = {
    config: withDefaults({}),
    plugins: [],
    catalog: catalogNamed("first"),
    appeared: new Map(),
    admission: noAdmissionConfiguration,
  };
  let inForce: ReturnType<HeavyNeeds["inForce"]> = first;
  const commits: unknown[] = [];
  const calls: { readonly url: string; readonly outcome: PromiseWithResolvers<WebhookOutcome> }[] = [];
  const store = {
    commit: (change: unknown) => (commits.push(change), Promise.resolve({ done: true, revision: 7 })),
    get: (key: string) => Promise.resolve({ entry: key === "/k" ? { key, value: stored, revision: 6 } : undefined, revision: 7 }),
  } as unknown as Store; // Only these are used.
  const heavy = heavyRequests({
    callWebhook(call) {
      const outcome = Promise.withResolvers<WebhookOutcome>();
      calls.push({ url: "url" in call.webhook ? call.webhook.url : "", outcome });
      return outcome.promise;
    },
    start(tell, die) {
      const thread = { got: [] as ToHeavy[], transferred: [] as unknown[], ended: false, tell, die };
      threads.push(thread);
      return {
        post: (message, transfer = []) => void (thread.got.push(message), thread.transferred.push(...transfer)),
        end: async () => void (thread.ended = true),
      };
    },
    store,
    inForce: () => inForce,
    after(milliseconds, run) {
      const timer = { milliseconds, run };
      timers.push(timer);
      return () => {
        if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
      };
    },
  });
  return {
    heavy,
    threads,
    timers,
    commits,
    calls,
    /** Lets a job call a webhook. */
    call: (job: number, url: string) =>
      threads.at(-1)!.tell({
        tag: "question",
        job,
        id: 1,
        question: { op: "webhook", call: { webhook: { url }, json: "{}", timeoutMs: 1, step: "" } },
      }),
    /** Other plugins and settings. */
    swap: () => inForce = { ...first, config: withDefaults({}), plugins: [], catalog: catalogNamed("second") },
    /** Definitions alone have changed. */
    define: (...names: readonly string[]) =>
      inForce = { ...inForce, catalog: catalogNamed("defined"), appeared: new Map([["definitions", names.map((name) => ({ name }))]]) },
    jobs: () => threads.flatMap(({ got }) => got.flatMap((message) => message.tag === "job" ? [message.request.url] : [])),
    run: (name: string, signal = new AbortController().signal) => heavy.run("answer", request(name), host, signal),
    /** Ends the latest job, or the one with this id. */
    done(heapBytes = 1, job?: number) {
      const thread = threads.at(-1)!, ids = thread.got.flatMap((message) => message.tag === "job" ? [message.id] : []);
      thread.tell({ tag: "done", job: job ?? ids.at(-1)!, outcome: { ok: true, value: reply }, heapBytes });
    },
    fire: (milliseconds: number) => timers.splice(timers.findIndex((timer) => timer.milliseconds === milliseconds), 1)[0]!.run(),
  };
}
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

test("documents are made in the thread of heavy requests, beside no other job, until their server ends", async () => {
  const { heavy, run, done, threads, fire } = scene(), ends = new AbortController();
  const first = run("a"), work = { op: "convert", text: "{}" } as const;
  const document = heavy.makeDocument(work, ends.signal);
  const sent = () => threads[0]!.got.flatMap((message) => message.tag === "document" ? [message.work] : []);
  assert.deepEqual(sent(), []);
  done();
  assert.deepEqual([await first, sent()], [reply, [work]]);
  const made = { chunks: [], unusable: [] };
  threads[0]!.tell({ tag: "done", job: 2, outcome: { ok: true, value: made }, heapBytes: 1 });
  assert.equal(await document, made);
  const last = heavy.makeDocument(work, ends.signal);
  ends.abort(new Error("the end"));
  await assert.rejects(last, /the end/);
  fire(heavyAbortMs);
  assert.ok(threads[0]!.ended);
});

test("heavy requests run one at a time in one thread, with users in rotation", async () => {
  const { run, done, jobs, threads } = scene();
  const all = Promise.all(["a", "a", "a", "b"].map((name) => run(name)));
  const order = ["/a", "/a", "/b", "/a"];
  for (let count = 1; count <= order.length; count++) {
    assert.deepEqual(jobs(), order.slice(0, count));
    done();
  }
  assert.deepEqual(await all, [reply, reply, reply, reply]);
  assert.equal(threads.length, 1);
});

test("a thread whose heap has exceeded its bound runs no second job", async () => {
  const { run, done, threads } = scene();
  const all = Promise.all(["a", "b", "c"].map((name) => run(name)));
  done(heavyHeapBytesMax);
  assert.equal(threads.length, 1);
  done(heavyHeapBytesMax + 1);
  assert.deepEqual(threads.map(({ ended }) => ended), [true, false]);
  done();
  assert.deepEqual(await all, [reply, reply, reply]);
});

test("a user with too many heavy requests gets 429, another does not", async () => {
  const { run, heavy } = scene();
  const waiting = Array.from({ length: heavyRequestsPerUserMax + 1 }, () => run("a"));
  await assert.rejects(run("a"), (error: unknown) => error instanceof StatusError && error.code === 429);
  waiting.push(run("b"));
  const ends = Promise.allSettled(waiting);
  await heavy.close();
  for (const end of await ends) assert.equal(end.status, "rejected");
});

test("an aborted request leaves the queue; a running one is aborted, and its thread terminated if it does not stop", async () => {
  const { run, done, threads, jobs, fire } = scene();
  const first = new AbortController(), second = new AbortController();
  const one = run("a", first.signal), two = run("b", second.signal), three = run("c");
  second.abort(new DOMException("gone", "AbortError"));
  await assert.rejects(two, { message: "gone" });
  first.abort(new DOMException("slow", "TimeoutError"));
  await assert.rejects(one, { message: "slow" });
  assert.deepEqual(threads[0]!.got.at(-1), { tag: "abort", job: 1, reason: plainError(first.signal.reason) });
  assert.deepEqual(jobs(), ["/a"], "the thread is still busy");
  fire(heavyAbortMs);
  assert.equal(threads[0]!.ended, true);
  assert.deepEqual(jobs(), ["/a", "/c"]);
  done();
  assert.deepEqual(await three, reply);
});

test("a thread that stops in time serves the next request", async () => {
  const { run, done, threads, timers } = scene();
  const first = new AbortController();
  const one = run("a", first.signal), two = run("b");
  first.abort(new Error("gone"));
  await assert.rejects(one);
  threads[0]!.tell({ tag: "done", job: 1, outcome: { ok: false, error: plainError(new Error("gone")) }, heapBytes: 1 });
  assert.equal(timers.some(({ milliseconds }) => milliseconds === heavyAbortMs), false);
  done();
  await two;
  assert.equal(threads.length, 1);
});

test("a thread that fails makes its request fail, and the next request has a new thread", async () => {
  const { run, done, threads } = scene();
  const one = run("a"), two = run("b");
  threads[0]!.die(new Error("out of memory"));
  await assert.rejects(one, { message: "out of memory" });
  assert.equal(threads.length, 2);
  done();
  await two;
});

test("a thread is told of other definitions before the next job, and goes on", async () => {
  const { run, done, threads, define } = scene();
  const one = run("a");
  done();
  await one;
  define("x");
  const two = run("b");
  done();
  await two;
  const three = run("c");
  done();
  await three;
  assert.equal(threads.length, 1);
  const [, , told, ...rest] = threads[0]!.got;
  assert.deepEqual(told, { tag: "appeared", appeared: new Map([["definitions", [{ name: "x" }]]]) });
  assert.deepEqual(rest.map(({ tag }) => tag), ["job", "job"]);
});

test("other settings need another thread; an idle thread ends", async () => {
  const { run, done, threads, swap, fire } = scene();
  const one = run("a");
  done();
  await one;
  swap();
  const two = run("a");
  assert.equal(threads[0]!.ended, true);
  assert.equal(threads.length, 2);
  done();
  await two;
  fire(heavyIdleMs);
  assert.equal(threads[1]!.ended, true);
});

test("the thread's commits go to the store, and errors keep their class", async () => {
  const { run, threads, commits } = scene();
  const one = run("a");
  const value = Uint8Array.of(1);
  const question = { op: "commit", key: "/k", expect: "absent", value, ttlSeconds: undefined, frees: true, attributes: undefined } as const;
  threads[0]!.tell({ tag: "question", job: 1, id: 5, question });
  await settled();
  assert.deepEqual(commits, [{ key: "/k", expect: "absent", value, frees: true }]);
  assert.deepEqual(threads[0]!.got.at(-1), { tag: "answered", job: 1, id: 5, answer: { ok: true, value: { done: true, revision: 7 } } });
  threads[0]!.tell({ tag: "done", job: 1, outcome: { ok: false, error: plainError(new StatusError("Invalid", "wrong")) }, heapBytes: 1 });
  await assert.rejects(one, (error: unknown) => error instanceof StatusError && error.code === 422);
});

test("the thread gets a copy of an object, whose buffer is transferred", async () => {
  const { run, done, threads } = scene();
  const one = run("a"), { got, transferred, tell } = threads[0]!;
  transferred.length = 0; // That of the body.
  tell({ tag: "question", job: 1, id: 1, question: { op: "get", key: "/k" } });
  await settled();
  const answer = { ok: true, value: { entry: { key: "/k", value: stored, revision: 6 }, revision: 7 } };
  assert.deepEqual(got.at(-1), { tag: "answered", job: 1, id: 1, answer });
  assert.equal(transferred.length, 1);
  assert.notEqual(transferred[0], stored.buffer);
  assert.deepEqual(new Uint8Array(transferred[0] as ArrayBuffer), stored);
  tell({ tag: "question", job: 1, id: 2, question: { op: "get", key: "/none" } });
  await settled();
  assert.deepEqual(got.at(-1), { tag: "answered", job: 1, id: 2, answer: { ok: true, value: { entry: undefined, revision: 7 } } });
  assert.equal(transferred.length, 1);
  done(1);
  await one;
});

const answered: WebhookOutcome = { tag: "answered", body: "{}" };

test("a job that waits for a webhook does not hold others; it goes on when it has the answer", async () => {
  const { run, done, jobs, threads, calls, call } = scene();
  const one = run("a"), two = run("b"), three = run("c");
  assert.deepEqual(jobs(), ["/a"]);
  call(1, "https://hook");
  assert.deepEqual(jobs(), ["/a", "/b"]);
  done();
  await two;
  assert.deepEqual(jobs(), ["/a", "/b", "/c"]);
  calls[0]!.outcome.resolve(answered);
  await settled();
  assert.deepEqual(threads[0]!.got.at(-1), { tag: "answered", job: 1, id: 1, answer: { ok: true, value: answered } });
  done(1, 1);
  done(1, 3);
  assert.deepEqual(await Promise.all([one, three]), [reply, reply]);
  assert.equal(threads.length, 1);
});

test("few jobs may wait for one webhook, and some for others", async () => {
  const { run, threads, calls, call, jobs, heavy } = scene();
  const all = Promise.allSettled(Array.from({ length: 40 }, (_, index) => run(`u${index}`)));
  for (let job = 1; job <= heavyCallsOfWebhookMax; job++) call(job, "https://dead");
  call(heavyCallsOfWebhookMax + 1, "https://dead");
  await settled();
  assert.equal(calls.length, heavyCallsOfWebhookMax);
  const busy = { tag: "answered", job: heavyCallsOfWebhookMax + 1, id: 1, answer: { ok: true, value: { tag: "busy" } } };
  assert.deepEqual(threads[0]!.got.at(-1), busy);
  for (let job = heavyCallsOfWebhookMax + 1; job <= heavyJobsMax; job++) call(job, `https://other${job}`);
  assert.equal(jobs().length, heavyJobsMax);
  await heavy.close();
  for (const { status } of await all) assert.equal(status, "rejected");
});

test("a thread with jobs that wait ends after them; another one takes new jobs", async () => {
  const { run, done, threads, calls, call, swap } = scene();
  const one = run("a");
  call(1, "https://hook");
  swap();
  const two = run("b");
  assert.deepEqual(threads.map(({ ended }) => ended), [false, false]);
  done();
  await two;
  calls[0]!.outcome.resolve(answered);
  await settled();
  threads[0]!.tell({ tag: "done", job: 1, outcome: { ok: true, value: reply }, heapBytes: 1 });
  await one;
  assert.deepEqual(threads.map(({ ended }) => ended), [true, false]);
});
