import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "./test-clock.ts";
import { noWorkMeter } from "./work.ts";
import { runWorkQueue, WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

/** Runs all work without timers. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose work the test completes. */
function scene(options: Partial<WorkQueueOptions> = {}) {
  const clock = manualClock(0), ending = new AbortController();
  const log: string[] = [], reported: string[] = [], running = new Map<string, PromiseWithResolvers<void>>();
  const queue = new WorkQueue({
    clock,
    signal: ending.signal,
    context: { work: noWorkMeter, logError: (sentence, error) => reported.push(`${sentence}: ${(error as Error).message}`) },
    async work(key) {
      log.push(key);
      assert.ok(!running.has(key), `${key} is worked on twice at once`);
      const held = Promise.withResolvers<void>();
      running.set(key, held);
      await held.promise.finally(() => running.delete(key));
    },
    ...options,
  });
  const finish = async (key: string) => {
    running.get(key)!.resolve();
    await settle();
  };
  const fail = async (key: string, message = "no luck") => {
    running.get(key)!.reject(new Error(message));
    await settle();
  };
  return { queue, clock, ending, log, reported, finish, fail };
}

test("WorkQueue runs keys in order, each once, with the given number of workers", async () => {
  const { queue, log, finish } = scene({ workers: 2 });
  for (const key of ["a", "b", "c", "c", "d", "a"]) queue.add(key);
  await settle();
  assert.deepEqual(log, ["a", "b"]);
  assert.equal(queue.length, 2);
  await finish("b");
  assert.deepEqual(log, ["a", "b", "c"]);
  await finish("c");
  assert.deepEqual(log, ["a", "b", "c", "d"]);
});

test("WorkQueue runs a key that was added while running once more", async () => {
  const { queue, log, finish } = scene({ workers: 3 });
  queue.add("a");
  await settle();
  queue.add("a");
  queue.add("a");
  await settle();
  assert.deepEqual(log, ["a"]);
  await finish("a");
  assert.deepEqual(log, ["a", "a"]);
  await finish("a");
  assert.deepEqual(log, ["a", "a"]);
});

test("WorkQueue logs an error of one item, retries it with increasing delays, and continues with the others", async () => {
  const { queue, log, reported, clock, finish, fail } = scene();
  queue.add("a");
  queue.add("b");
  await settle();
  await fail("a");
  assert.deepEqual(log, ["a", "b"]);
  assert.deepEqual(reported, ['work on "a" failed and is retried: no luck']);
  await finish("b");
  for (const delay of [5, 10, 20]) {
    const before = log.length;
    clock.advance(delay - 1);
    await settle();
    assert.equal(log.length, before);
    clock.advance(1);
    await settle();
    assert.equal(log.length, before + 1);
    assert.equal(log.at(-1), "a");
    if (delay < 20) await fail("a");
  }
  assert.equal(queue.retries("a"), 3);
  await finish("a");
  assert.equal(queue.retries("a"), 0, "success resets the backoff");
});

test("WorkQueue retries work that throws before its first await", async () => {
  const { queue, clock, reported, ending } = scene({
    work() {
      throw new Error("at once");
    },
  });
  queue.add("a");
  await settle();
  clock.advance(5);
  await settle();
  assert.equal(reported.length, 2);
  ending.abort();
  await queue.ended();
});

test("WorkQueue.retry() during work delays the key without a report, once for each run", async () => {
  const { queue, clock, log, reported, finish, fail } = scene();
  queue.add("a");
  await settle();
  queue.retry("a");
  queue.retry("a");
  await fail("a");
  assert.equal(queue.retries("a"), 1);
  assert.equal(reported.length, 1);
  clock.advance(5);
  await settle();
  queue.retry("a");
  await finish("a");
  assert.equal(queue.retries("a"), 2);
  clock.advance(9);
  await settle();
  assert.equal(log.length, 2);
  queue.forget("a");
  clock.advance(1);
  await settle();
  assert.equal(log.length, 3, "forget() leaves the key in the queue");
});

test("WorkQueue.addAfter() waits for the earliest of several times; add() does not wait", async () => {
  const { queue, clock, log, finish } = scene();
  queue.addAfter("a", 100);
  queue.addAfter("a", 200);
  queue.addAfter("a", 50);
  clock.advance(50);
  await settle();
  assert.deepEqual(log, ["a"]);
  await finish("a");
  clock.advance(1000);
  await settle();
  assert.deepEqual(log, ["a"]);
  queue.addAfter("b", 100);
  queue.addAfter("c", 0);
  queue.add("b");
  await settle();
  assert.deepEqual(log, ["a", "c"]);
  await finish("c");
  await finish("b");
  clock.advance(100);
  await settle();
  assert.deepEqual(log, ["a", "c", "b", "b"], "the delayed key also runs at its time");
});

test("WorkQueue.addAfter() waits again if a timer ends early", async () => {
  const clock = manualClock(0);
  const early = { now: clock.now, elapsed: clock.elapsed, after: (ms: number, run: () => void) => clock.after(Math.min(ms, 10), run) };
  const { queue, log } = scene({ clock: early });
  queue.addAfter("a", 25);
  for (const { ms, count } of [{ ms: 24, count: 0 }, { ms: 1, count: 1 }]) {
    clock.advance(ms);
    await settle();
    assert.equal(log.length, count);
  }
});

test("WorkQueue ends with its signal: it drops waiting keys, awaits running work, and retries nothing", async () => {
  const { queue, clock, log, reported, ending, fail } = scene();
  for (const key of ["a", "b"]) queue.add(key);
  queue.addAfter("c", 10);
  await settle();
  let ended = false;
  const done = queue.ended().then(() => ended = true);
  ending.abort();
  queue.add("d");
  queue.addAfter("e", 10);
  await settle();
  assert.equal(ended, false);
  await fail("a");
  await done;
  clock.advance(1000);
  await settle();
  assert.deepEqual([log, reported, queue.length, clock.waiting], [["a"], [], 0, 0]);
});

test("WorkQueue holds a bounded number of keys and rejects further ones", async () => {
  const { queue, finish } = scene({ keysMax: 3 });
  queue.add("running");
  await settle();
  queue.add("a");
  queue.add("b");
  queue.addAfter("c", 10);
  queue.add("a");
  queue.addAfter("c", 5);
  assert.throws(() => queue.add("d"), /Cannot add "d" to the work queue: it holds 3 keys, its maximum/);
  assert.throws(() => queue.addAfter("e", 1), RangeError);
  await finish("running");
  queue.add("d");
});

test("WorkQueue reports the states of its items to the meter", async () => {
  const counted: string[] = [];
  const count = (what: string) => (item: string, again?: boolean) => counted.push(`${what} ${item}${again === true ? " again" : ""}`);
  const work = { added: count("added"), started: count("started"), done: count("done"), forgotten: count("forgotten") };
  const { queue, clock, ending, finish, fail } = scene({ context: { work, logError() {} } });
  queue.add("a");
  await settle();
  queue.add("a");
  await fail("a");
  await finish("a");
  clock.advance(5);
  await settle();
  queue.add("b");
  ending.abort();
  await finish("a");
  assert.deepEqual(counted, [
    "added a",
    "started a",
    "added a",
    "done a again",
    "started a",
    "done a",
    "added a",
    "started a",
    "added b",
    "forgotten b",
    "done a",
  ]);
});

test("WorkQueue rejects an invalid number of workers", () => {
  for (const workers of [0, -1, 1.5]) assert.throws(() => scene({ workers }), RangeError);
});

test("runWorkQueue() continues after its feed has ended, until the signal aborts", async () => {
  const ending = new AbortController(), log: string[] = [];
  const work = (key: string, queue: WorkQueue) => {
    log.push(key);
    if (key === "a") queue.add("b");
    else ending.abort();
  };
  await runWorkQueue({ signal: ending.signal, work }, async (queue) => queue.add("a"));
  assert.deepEqual(log, ["a", "b"]);
});

test("runWorkQueue() rejects with the error of its feed, after running work has ended", async () => {
  const held = Promise.withResolvers<void>(), log: string[] = [];
  const work = async (key: string, { signal }: WorkQueue) => {
    log.push(`begins ${key}`);
    await held.promise;
    log.push(`ends ${key}${signal.aborted ? ", aborted" : ""}`);
  };
  const running = runWorkQueue({ signal: new AbortController().signal, work }, async (queue) => {
    queue.add("a");
    queue.add("b");
    await settle();
    throw new Error("no watch");
  }).finally(() => log.push("over"));
  await settle();
  held.resolve();
  await assert.rejects(running, /no watch/);
  assert.deepEqual(log, ["begins a", "ends a, aborted", "over"]);
});
