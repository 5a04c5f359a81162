import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, EventRing, type RingBounds, type RingEvent } from "./ring.ts";

const wide: RingBounds = { keptMs: 1_000_000, bytesMax: 1_000_000, eventsMax: 1_000 };

function event(revision: number, at = 0): RingEvent {
  return { key: `k-${revision}`, revision, next: undefined, prior: undefined, failure: undefined, at };
}
function revisions(ring: EventRing): number[] {
  return Array.from({ length: ring.end - ring.first }, (_, index) => ring.at(ring.first + index).revision);
}

test("EventRing finds the first event after a revision, between and beyond its events", () => {
  const ring = new EventRing(10, wide);
  assert.deepEqual([ring.start, ring.first, ring.end, ring.after(10)], [10, 0, 0, 0]);
  ring.push([event(12), event(12), event(15)]);
  ring.push([event(20)]);
  for (const [revision, sequence] of [[10, 0], [11, 0], [12, 2], [14, 2], [15, 3], [19, 3], [20, 4], [99, 4]] as const) {
    assert.equal(ring.after(revision), sequence, `${revision}`);
  }
  assert.deepEqual(revisions(ring), [12, 12, 15, 20]);
});

test("EventRing drops events beyond its count, whole revisions at a time, and moves its start", () => {
  const ring = new EventRing(0, { ...wide, eventsMax: 3 });
  ring.push([event(1), event(2)]);
  ring.push([event(3), event(3)]);
  assert.deepEqual([revisions(ring), ring.start], [[2, 3, 3], 1]);
  ring.push([event(4), event(5)]);
  // One of the two events of revision 3 exceeds the bound, so both are dropped.
  assert.deepEqual([revisions(ring), ring.start], [[4, 5], 3]);
  assert.equal(ring.after(3), ring.first);
  assert.equal(ring.end - ring.first, 2);
});

test("EventRing drops events by age and size at the bound, not before", () => {
  const old = new EventRing(0, { ...wide, keptMs: 100 });
  old.push([event(1, 0)]);
  old.push([event(2, 100)]);
  assert.deepEqual(revisions(old), [1, 2]);
  old.push([event(3, 101)]);
  assert.deepEqual([revisions(old), old.start], [[2, 3], 1]);
  const size = bytesOf(event(1));
  const large = new EventRing(0, { ...wide, bytesMax: 2 * size });
  large.push([event(1), event(2)]);
  assert.deepEqual(revisions(large), [1, 2]);
  large.push([event(3)]);
  assert.deepEqual([revisions(large), large.bytes], [[2, 3], 2 * size]);
});

test("EventRing drops old events without newer ones", () => {
  const ring = new EventRing(0, { ...wide, keptMs: 100 });
  ring.push([event(1, 0), event(2, 50), event(2, 50), event(3, 60)]);
  ring.expire(100);
  assert.deepEqual([revisions(ring), ring.start], [[1, 2, 2, 3], 0]);
  ring.expire(155);
  assert.deepEqual([revisions(ring), ring.start], [[3], 2]);
  ring.expire(161);
  assert.deepEqual([revisions(ring), ring.start, ring.bytes], [[], 3, 0]);
});

test("EventRing drops compacted events, and moves a start before the compaction", () => {
  const ring = new EventRing(0, wide);
  ring.push([event(1), event(5), event(9)]);
  ring.forget(5);
  assert.deepEqual([revisions(ring), ring.start], [[9], 5]);
  ring.forget(3);
  assert.equal(ring.start, 5);
  ring.forget(12);
  assert.deepEqual([revisions(ring), ring.start], [[], 12]);
});

test("EventRing counts the bytes ahead of a cursor", () => {
  const ring = new EventRing(0, { ...wide, eventsMax: 2 });
  const size = bytesOf(event(1));
  ring.push([event(1), event(2), event(3), event(4)]);
  assert.deepEqual([ring.bytesFrom(0), ring.bytesFrom(2), ring.bytesFrom(3), ring.bytesFrom(4)], [Infinity, 2 * size, size, 0]);
});

test("EventRing keeps sequence numbers through thousands of events", () => {
  const ring = new EventRing(0, { ...wide, eventsMax: 10 });
  for (let revision = 1; revision <= 5000; revision++) ring.push([event(revision)]);
  assert.deepEqual([ring.first, ring.end, ring.start, ring.at(4995).revision], [4990, 5000, 4990, 4996]);
});
