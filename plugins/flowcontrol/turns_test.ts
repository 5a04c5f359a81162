import assert from "node:assert/strict";
import { test } from "node:test";
import { ioMs, newLine, type TurnClock, turnMs, Turns } from "./turns.ts";

/** A thread whose time moves when a test says so. */
function thread() {
  let now = 0;
  const ready: (() => void)[] = [], events: string[] = [];
  const clock: TurnClock = {
    now: () => now,
    soon: (run) => void ready.push(run),
    afterIo(run) {
      events.push("io");
      ready.push(run);
    },
  };
  return {
    clock,
    events,
    work: (ms: number) => void (now += ms),
    run() {
      for (let next = ready.shift(); next !== undefined; next = ready.shift()) next();
      return events.splice(0);
    },
  };
}

test("Turns lets requests run at once until the thread has worked for turnMs, and again after it was idle", () => {
  const { clock, work } = thread(), turns = new Turns(clock);
  assert.ok(turns.isFree(clock.now()));
  work(turnMs - 0.01);
  assert.ok(turns.isFree(clock.now()));
  work(0.01);
  assert.ok(!turns.isFree(clock.now()), "the thread has worked for turnMs");
  work(turnMs + 0.01);
  assert.ok(turns.isFree(clock.now()), "nothing has come for a while");
});

test("Turns gives a rare level the next turn, and busy levels the thread by their weights", () => {
  const { clock, events, work, run } = thread(), turns = new Turns(clock);
  const light = newLine(), heavy = newLine(), rare = newLine();
  light.weight = 10;
  heavy.weight = 30;
  const wait = (line: typeof light, name: string) =>
    turns.wait(line, 0, () => {
      events.push(name);
      work(1);
      // The rare one arrives in the middle.
      if (name === "h5") turns.wait(rare, 0, () => void events.push("rare"));
    });
  for (let each = 0; each < 40; each++) wait(light, `l${each}`);
  for (let each = 0; each < 40; each++) wait(heavy, `h${each}`);
  const all = run().filter((each) => each !== "io");
  const first = all.slice(0, 40);
  assert.ok(Math.abs(first.filter((each) => each.startsWith("h")).length - 30) <= 2, first.join());
  assert.ok(all.indexOf("rare") - all.indexOf("h5") <= 2, "the level that has not run for long is next");
  assert.equal(all.length, 81);
});

test("Turns of a level pass from queue to queue, and I/O runs between them after ioMs", () => {
  const { clock, events, work, run } = thread(), turns = new Turns(clock), line = newLine();
  const wait = (queue: number, name: string) =>
    turns.wait(line, queue, () => {
      events.push(name);
      work(ioMs / 2);
    });
  for (const name of ["a1", "a2", "a3"]) wait(1, name);
  wait(2, "b1");
  assert.deepEqual(run(), ["a1", "b1", "a2", "io", "a3"]);
  assert.ok(line.queues.size === 0);
  work(turnMs + 1);
  assert.ok(turns.isFree(clock.now()), "nobody waits");
});

test("Turns keeps a request that arrives during a turn waiting, also after idle time", () => {
  const { clock, run } = thread(), turns = new Turns(clock), line = newLine();
  turns.wait(line, 0, () => assert.ok(!turns.isFree(clock.now() + 100), "the turn of another request has not ended"));
  run();
});
