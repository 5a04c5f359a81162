// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { handsMax, waitingMax } from "./bounds.ts";
import { FairQueue, type Queuing, type Ticket } from "./fair-queue.ts";
import { dealHand, Hands } from "./hand.ts";

const queuing: Queuing = { queues: 16, handSize: 4, queueLengthLimit: 10 };

/** Numbers from 0 to below `below`, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

function accepted<T>(ticket: Ticket<T> | string): Ticket<T> {
  assert.ok(typeof ticket !== "string", `${ticket}`);
  return ticket;
}

test("FairQueue loses no seat and grants none twice, whatever the order of arrivals, ends, leaves and changes", () => {
  for (let seed = 1; seed <= 12; seed++) {
    const next = numbers(seed), running = new Set<Ticket<number>>(), waiting = new Set<Ticket<number>>();
    const queue = new FairQueue<number>(5, queuing, (ticket) => {
      assert.ok(waiting.delete(ticket), "a granted request waited");
      running.add(ticket);
    });
    const any = (from: Set<Ticket<number>>) => [...from][next(from.size)];
    let now = 0, limit = 5;
    for (let step = 0; step < 400; step++) {
      now += next(100) / 1000;
      const what = next(10);
      if (what < 5) {
        const ticket = queue.enter(step, 1 + next(7), `flow ${next(6)}`, now);
        if (typeof ticket !== "string") (ticket.state === "running" ? running : waiting).add(ticket);
        else assert.equal(ticket, "queue-full");
      } else if (what < 8 && running.size > 0) {
        const ticket = any(running)!;
        running.delete(ticket);
        queue.end(ticket, now);
        queue.end(ticket, now); // has no effect
      } else if (what === 8 && waiting.size > 0) {
        const ticket = any(waiting)!;
        waiting.delete(ticket);
        assert.ok(queue.leave(ticket, "cancelled", now));
        assert.ok(!queue.leave(ticket, "time-out", now));
      } else if (what === 9) {
        limit = next(12);
        queue.configure(limit, next(3) === 0 ? { ...queuing, queues: 8 } : queuing, now);
      }
      const seats = [...running].reduce((sum, ticket) => sum + ticket.seats, 0);
      assert.deepEqual(
        [queue.running, queue.runningSeats, queue.waiting],
        [running.size, seats, waiting.size],
        `seed ${seed}, step ${step}`,
      );
      // Nothing waits while nothing runs.
      assert.ok(running.size > 0 || waiting.size === 0);
    }
    for (let ticket = any(running); ticket !== undefined; ticket = any(running)) {
      running.delete(ticket);
      queue.end(ticket, now);
    }
    assert.deepEqual([queue.isIdle, [...queue.queues()].length], [true, 0], "a level without requests keeps no queue");
  }
});

test("FairQueue gives flows equal parts of the seats, however many requests each of them has", () => {
  const ended = new Map<string, number>();
  const queue = new FairQueue<string>(4, { queues: 64, handSize: 6, queueLengthLimit: 100 }, () => {});
  const tickets: Ticket<string>[] = [];
  const enter = (flow: string, now: number) => tickets.push(accepted(queue.enter(flow, 1, flow, now)));
  for (let each = 0; each < 100; each++) enter("many", 0);
  for (let each = 0; each < 10; each++) enter("few", 0);
  // Each request takes a second.
  for (let now = 1; now <= 8; now++) {
    for (const ticket of tickets.filter(({ state }) => state === "running")) {
      ended.set(ticket.of, (ended.get(ticket.of) ?? 0) + 1);
      queue.end(ticket, now);
    }
  }
  assert.ok(
    ended.get("few")! >= 10,
    `${ended.get("few")} of 10 requests of the small flow have run beside ${ended.get("many")} of the other one`,
  );
});

test("FairQueue lets no narrow request overtake a wide one, and runs one wider than the level alone", () => {
  const queue = new FairQueue<string>(4, { ...queuing, queues: 1, handSize: 1 }, () => {});
  const first = accepted(queue.enter("first", 3, "a", 0)), wide = accepted(queue.enter("wide", 9, "b", 0));
  const narrow = accepted(queue.enter("narrow", 1, "c", 0));
  assert.deepEqual([first.state, wide.state, narrow.state], ["running", "waiting", "waiting"]);
  queue.end(first, 1);
  assert.deepEqual([wide.state, narrow.state], ["running", "waiting"]);
  queue.end(wide, 2);
  assert.equal(narrow.state, "running");
});

test("FairQueue rejects at the length of a queue, and never has more than waitingMax requests", () => {
  const queue = new FairQueue<number>(1, { queues: 1, handSize: 1, queueLengthLimit: 2 }, () => {});
  const results = [0, 1, 2, 3].map((each) => queue.enter(each, 1, "a", 0));
  assert.deepEqual(results.map((each) => typeof each === "string" ? each : each.state), ["running", "waiting", "waiting", "queue-full"]);
  assert.equal(queue.counts.rejected, 1);
  const none = new FairQueue<number>(1, undefined, () => {});
  assert.equal(accepted(none.enter(0, 1, "a", 0)).state, "running");
  assert.equal(none.enter(1, 1, "a", 0), "concurrency-limit");

  const large = new FairQueue<number>(1, { queues: 1_000, handSize: 1, queueLengthLimit: 1_000 }, () => {});
  for (let each = 0; each <= waitingMax; each++) accepted(large.enter(each, 1, `flow ${each}`, 0));
  assert.equal(large.waiting, waitingMax);
  assert.equal(large.enter(0, 1, "one more", 0), "queue-full");
});

test("Hands deals a flow always the same queues, all of them different, and keeps a bounded number", () => {
  const seen = new Map<string, number>();
  for (let each = 0; each < 1_000; each++) {
    const hand = dealHand(`flow ${each}`, 64, 6);
    assert.equal(new Set(hand).size, 6);
    assert.ok(hand.every((queue) => Number.isInteger(queue) && queue >= 0 && queue < 64));
    for (const queue of hand) seen.set(`${queue}`, (seen.get(`${queue}`) ?? 0) + 1);
  }
  // 93.75 each on average.
  assert.equal(seen.size, 64);
  assert.ok(Math.min(...seen.values()) > 50 && Math.max(...seen.values()) < 140);
  const hands = new Hands(64, 6), first = hands.of("flow");
  for (let each = 0; each <= handsMax; each++) hands.of(`hostile ${each}`);
  assert.deepEqual(hands.of("flow"), first);
});
