import assert from "node:assert/strict";
import { test } from "node:test";
import { fairQueue } from "./fair-queue.ts";

test("FairQueue.next() returns one item of each owner in rotation", () => {
  const queue = fairQueue<string>(10);
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.push(item[0]!, item);
  const order = Array.from({ length: 7 }, () => queue.next());
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "c2", "a3", undefined]);
});

test("FairQueue.push() rejects an item of an owner with too many items, and of no other", () => {
  const queue = fairQueue<number>(2);
  assert.equal(queue.push("a", 1), true);
  assert.equal(queue.push("a", 2), true);
  assert.equal(queue.push("a", 3), false);
  assert.equal(queue.push("b", 1), true);
  queue.next();
  assert.equal(queue.push("a", 3), true);
});

test("FairQueue.remove() removes an item, and ignores an absent one", () => {
  const queue = fairQueue<string>(10);
  queue.push("a", "1");
  queue.push("a", "2");
  queue.remove("a", "1");
  queue.remove("a", "1");
  queue.remove("b", "1");
  assert.equal(queue.next(), "2");
  assert.equal(queue.next(), undefined);
});
