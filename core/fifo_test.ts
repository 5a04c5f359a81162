import assert from "node:assert/strict";
import { test } from "node:test";
import { Fifo } from "./fifo.ts";

test("Fifo gives its items by their position, through thousands of them", () => {
  const fifo = new Fifo<number>();
  for (let next = 0; next < 5_000; next++) {
    fifo.push(next);
    if (fifo.length > 10) fifo.shift();
  }
  assert.equal(fifo.length, 10);
  assert.deepEqual([fifo.at(0), fifo.at(9)], [4_990, 4_999]);
  assert.deepEqual(fifo.slice(1, 3), [4_991, 4_992]);
  assert.deepEqual(fifo.slice(8, 100), [4_998, 4_999]);
});

test("Fifo refers to no item that was removed", () => {
  const slots: (object | undefined)[] = [];
  const fifo = new Fifo(slots);
  for (let round = 0; round < 100; round++) fifo.push({ round });
  for (let left = 99; left >= 0; left--) {
    fifo.shift();
    assert.equal(fifo.length, left);
    assert.equal(slots.filter((slot) => slot !== undefined).length, left);
  }
  fifo.shift();
  assert.equal(fifo.length, 0);
  fifo.push({ round: 100 });
  assert.deepEqual(fifo.at(0), { round: 100 });
});
