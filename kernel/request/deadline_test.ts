import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../core/status-error.ts";
import { allowedMs, Deadline } from "./deadline.ts";
import { requestInfo } from "./request-info.ts";

test("Deadline aborts with the client's reason when the client disconnects", () => {
  const client = new AbortController();
  using deadline = new Deadline({ signal: client.signal }, 60_000);
  const { signal } = deadline;
  assert.equal(signal.aborted, false);
  assert.equal(deadline.signal, signal);
  const reason = new Error("gone");
  client.abort(reason);
  assert.equal(signal.reason, reason);
});

test("Deadline is aborted from the start if the client has already disconnected", () => {
  using deadline = new Deadline({ signal: AbortSignal.abort() }, 60_000);
  assert.equal(deadline.signal.aborted, true);
});

test("Deadline aborts with a TimeoutError when its timeout expires", async () => {
  using deadline = new Deadline({ signal: new AbortController().signal }, 0);
  const { signal } = deadline;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  assert.equal(signal.reason.name, "TimeoutError");
});

test("Deadline never aborts after its disposal, and reads the client's signal at its first use only", async () => {
  let reads = 0;
  const exchange = {
    get signal() {
      reads++;
      return new AbortController().signal;
    },
  };
  new Deadline(exchange, 0)[Symbol.dispose]();
  assert.equal(reads, 0);
  const deadline = new Deadline(exchange, 0);
  const { signal } = deadline;
  deadline[Symbol.dispose]();
  using later = new Deadline(exchange, 0);
  await new Promise((resolve) => later.signal.addEventListener("abort", resolve));
  assert.equal(signal.aborted, false);
});

test("Deadline leaves no listener on the client's signal after its disposal", () => {
  const { signal } = new AbortController(), listeners = new Set<unknown>();
  const add = signal.addEventListener, remove = signal.removeEventListener;
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove.apply(signal, args);
  };
  {
    using deadline = new Deadline({ signal }, 60_000);
    assert.equal(deadline.signal.aborted, false);
    assert.equal(listeners.size, 1);
  }
  assert.equal(listeners.size, 0);
});

test("Deadline.within() gives the result of a promise, without the client's signal", async () => {
  const exchange = {
    get signal(): AbortSignal {
      throw new Error("not used");
    },
  };
  using deadline = new Deadline(exchange, 60_000);
  assert.equal(await deadline.within(Promise.resolve(1)), 1);
});

test("Deadline.within() rejects with a TimeoutError when the timeout expires, and its time counts for the signal", async () => {
  using deadline = new Deadline({ signal: new AbortController().signal }, 1);
  await assert.rejects(deadline.within(new Promise(() => {})), { name: "TimeoutError" });
  const { signal } = deadline, late = Promise.withResolvers<string>(), soon = Promise.withResolvers<string>();
  signal.addEventListener("abort", () => soon.resolve("aborted"));
  setTimeout(() => late.resolve("late"), 60_000).unref();
  assert.equal(await Promise.race([soon.promise, late.promise]), "aborted");
});

test("Deadline.within() rejects with the client's reason after a disconnection, and else with the promise's", async () => {
  const client = new AbortController(), reason = new Error("gone"), broken = new Error("broken");
  using deadline = new Deadline({ signal: client.signal }, 60_000);
  await assert.rejects(deadline.within(Promise.reject(broken)), broken);
  const body = Promise.withResolvers<void>(), waiting = deadline.within(body.promise);
  body.reject(broken);
  client.abort(reason);
  await assert.rejects(waiting, reason);
});

test("Deadline.within() rejects at the abort of a signal that exists already", async () => {
  const client = new AbortController(), reason = new Error("gone");
  using deadline = new Deadline({ signal: client.signal }, 60_000);
  assert.equal(deadline.signal.aborted, false);
  const waiting = deadline.within(new Promise(() => {}));
  client.abort(reason);
  await assert.rejects(waiting, reason);
});

test("allowedMs() is the client's timeout up to the bound, and ignores it for watches", () => {
  const allowed = (query: string) => allowedMs(requestInfo("GET", `/api/v1/pods?${query}`)!, 60_000);
  assert.deepEqual(["timeout=1500ms", "timeout=59999ms", "timeout=60s", "timeout=61s"].map(allowed), [1500, 59_999, 60_000, 60_000]);
  assert.deepEqual(["", "timeout=", "timeout=0", "timeout=-1s", "watch=1&timeout=x"].map(allowed), Array(5).fill(60_000));
  assert.throws(() => allowed("timeout=5"), (error) => error instanceof StatusError && error.code === 400);
});
