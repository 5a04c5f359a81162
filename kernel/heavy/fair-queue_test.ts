import assert from "node:assert/strict";
import { test } from "node:test";
import { fairQueue } from "./fair-queue.ts";

test("FairQueue.next() takes one item of each owner in rotation", () => {
  const queue = fairQueue<string>(10);
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.push(item[0]!, item);
  const order = Array.from({ length: 7 }, () => queue.next());
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "c2", "a3", undefined]);
});

test("FairQueue.push() refuses an owner with too many items, and no other", () => {
  const queue = fairQueue<number>(2);
  assert.equal(queue.push("a", 1), true);
  assert.equal(queue.push("a", 2), true);
  assert.equal(queue.push("a", 3), false);
  assert.equal(queue.push("b", 1), true);
  queue.next();
  assert.equal(queue.push("a", 3), true);
});

test("FairQueue.remove() takes an item out, and nothing where it is not there", () => {
  const queue = fairQueue<string>(10);
  queue.push("a", "1");
  queue.push("a", "2");
  queue.remove("a", "1");
  queue.remove("a", "1");
  queue.remove("b", "1");
  assert.equal(queue.next(), "2");
  assert.equal(queue.next(), undefined);
});
