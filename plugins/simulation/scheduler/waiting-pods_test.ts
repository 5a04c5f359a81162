import assert from "node:assert/strict";
import { test } from "node:test";
import { WaitingPods } from "./waiting-pods.ts";

test("take() gives the highest priority first, then the first one added, and no key that is busy", () => {
  const pods = new WaitingPods();
  for (const [key, priority] of [["a", 0], ["b", 5], ["c", 5], ["d", -1], ["a", 9]] as const) pods.add(key, priority);
  assert.deepEqual([pods.take(), pods.take(), pods.take()], ["a", "b", "c"]);
  pods.add("a", 9);
  assert.equal(pods.take(), "d");
  assert.equal(pods.take(), undefined);
  assert.equal(pods.done("a"), true);
  assert.equal(pods.take(), "a");
  assert.equal(pods.done("a"), false);
  assert.equal(pods.take(), undefined);
});
