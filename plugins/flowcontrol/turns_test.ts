import assert from "node:assert/strict";
import { test } from "node:test";
import { aloneMs, ioMs, newLine, type TurnClock, turnMs, turnRequestsMax, Turns } from "./turns.ts";

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
  assert.ok(turns.isFree(clock.now(), "one"));
  work(turnMs - 0.01);
  assert.ok(turns.isFree(clock.now(), "other"));
  work(0.01);
  assert.ok(!turns.isFree(clock.now(), "other"), "the thread has worked for turnMs");
  work(turnMs + 0.01);
  assert.ok(turns.isFree(clock.now(), "other"), "nothing has come for a while");
});

test("Turns lets the requests of a flow run at once while no other flow has had one for aloneMs", () => {
  const { clock, work } = thread(), turns = new Turns(clock);
  const isFree = (flow: string, ms: number) => {
    work(ms);
    return turns.isFree(clock.now(), flow);
  };
  for (let request = 0; request < 100; request++) assert.ok(isFree("one", 1), "it is alone from the start");
  assert.ok(!isFree("other", 1));
  // In steps of turnMs, so that the thread is never idle.
  for (let waited = turnMs; waited <= aloneMs; waited += turnMs) assert.ok(!isFree("other", turnMs), `${waited} ms after the change`);
  assert.ok(isFree("other", turnMs), "the first one has gone");
  assert.ok(!isFree("one", 1), "it is back");
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
  assert.ok(all.indexOf("rare") - all.indexOf("h5") <= turnMs, "the level that has not run for long is next");
  assert.equal(all.length, 81);
});

test("Turns of a level pass from queue to queue, and I/O runs between them after ioMs", () => {
  const { clock, events, work, run } = thread(), turns = new Turns(clock), line = newLine();
  const wait = (queue: number, name: string) =>
    turns.wait(line, queue, () => {
      events.push(name);
      work(ioMs - 1);
    });
  for (let each = 1; each <= 10; each++) wait(1, `a${each}`);
  wait(2, "b1");
  const all = run();
  assert.deepEqual(all.filter((each) => each !== "io").slice(0, 4), ["a1", "b1", "a2", "a3"]);
  // Four requests by the guess of their work, which is too low. Then each has a turn, and two turns take longer than ioMs.
  assert.deepEqual([all.length, all.indexOf("io")], [15, 4], all.join());
  assert.ok(line.queues.size === 0);
  work(turnMs + 1);
  assert.ok(turns.isFree(clock.now(), "one"), "nobody waits");
});

test("Turns keeps a request that arrives during a turn waiting, also after idle time", () => {
  const { clock, run } = thread(), turns = new Turns(clock), line = newLine();
  turns.wait(line, 0, () => assert.ok(!turns.isFree(clock.now() + 100, "one"), "the turn of another request has not ended"));
  run();
});

test("Turns of requests that work little have turnRequestsMax of them, and I/O runs when their work is long", () => {
  const { clock, events, run } = thread(), turns = new Turns({ ...clock, soon: (next) => clock.soon(() => (events.push("|"), next())) });
  const line = newLine();
  const wait = (count: number) => {
    for (let each = 0; each < count; each++) turns.wait(line, each, () => void events.push("r"));
    return run().join("").split("|").map((each) => each.length).filter((length) => length > 0);
  };
  // The guess of the first turns is too high.
  for (let round = 0; round < 20; round++) wait(1);
  assert.deepEqual(wait(turnRequestsMax * 2 + 1), [turnRequestsMax, turnRequestsMax, 1]);
});
