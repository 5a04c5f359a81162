import assert from "node:assert/strict";
import { test } from "node:test";
import { within } from "../../../test/store/helpers.ts";
import { laneIn, laneMemory } from "./thread-lane.ts";

test("Lane.next() resolves with later messages, each of them once", async () => {
  const memory = laneMemory();
  const sender = laneIn(memory), receiver = laneIn(memory);
  const first = receiver.next();
  sender.words[0] = 7;
  sender.send(true);
  assert.equal(await within(first, "the first message"), true);
  assert.equal(receiver.words[0], 7);
  const second = receiver.next();
  sender.send(false);
  assert.equal(await within(second, "the second"), false);
});

test("Lane.next() and Lane.wait() return messages sent before the call, but none from before the lane was opened", async () => {
  const memory = laneMemory();
  const sender = laneIn(memory);
  sender.send(false);
  const receiver = laneIn(memory);
  sender.send(true);
  assert.equal(await receiver.next(), true);
  sender.send(true);
  assert.equal(receiver.wait(), true);
  const pending = receiver.next();
  sender.send(false);
  assert.equal(await within(pending, "the last message"), false);
});
