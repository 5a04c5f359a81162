// Bounds of the calls of one webhook.
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../core/test-clock.ts";
import {
  type CallSlot,
  CallSlots,
  type Refusal,
  webhookCallsMax,
  webhookCallsWaitingMax,
  webhookStalledCallsMax,
  webhookStalledMs,
} from "./call-slots.ts";
import { webhookBytesMax } from "./bounds.ts";

const never = new AbortController().signal;
const isSlot = (taken: CallSlot | Refusal): taken is CallSlot => typeof taken === "object";
async function filled(slots: CallSlots, calls: number): Promise<CallSlot[]> {
  const taken = await Promise.all(Array.from({ length: calls }, () => slots.take("{}", never)));
  return taken.filter(isSlot);
}
const tick = () => new Promise((resolve) => setTimeout(resolve, 0));

test("calls beyond the bound wait for the end of another one; more are rejected", async () => {
  const slots = new CallSlots(manualClock());
  const taken = await filled(slots, webhookCallsMax);
  assert.equal(taken.length, webhookCallsMax);
  const waiting = Array.from({ length: webhookCallsWaitingMax }, () => slots.take("{}", never));
  assert.equal(await slots.take("{}", never), "busy");
  taken[0]!.began();
  taken[0]!.end();
  assert.ok(isSlot(await waiting[0]!));
  let others = 0;
  for (const each of waiting.slice(1)) void each.then(() => others++);
  await tick();
  assert.equal(others, 0);
});

test("when a webhook does not answer, waiting calls fail, and few calls are made until it does", async () => {
  const clock = manualClock(), slots = new CallSlots(clock);
  const taken = await filled(slots, webhookCallsMax), waiting = slots.take("{}", never);
  clock.advance(webhookStalledMs);
  assert.equal(await waiting, "stalled");
  assert.equal(await slots.take("{}", never), "stalled");
  for (const slot of taken.slice(webhookStalledCallsMax - 1)) slot.end();
  const tried = await slots.take("{}", never);
  assert.ok(isSlot(tried));
  assert.equal(await slots.take("{}", never), "stalled");
  tried.began();
  assert.ok(isSlot(await slots.take("{}", never)));
  assert.equal(clock.waiting, 0);
});

test("a slow webhook that answers is not stalled", async () => {
  const clock = manualClock(), slots = new CallSlots(clock);
  const [first] = await filled(slots, webhookCallsMax), waiting = slots.take("{}", never);
  for (let i = 0; i < 3; i++) {
    clock.advance(webhookStalledMs - 1);
    first!.began();
  }
  first!.end();
  assert.ok(isSlot(await waiting));
});

test("bytes of requests and answers are bounded, but one call is always allowed", async () => {
  const slots = new CallSlots(manualClock()), half = " ".repeat(webhookBytesMax / 2 + 1);
  const first = await slots.take(half, never);
  assert.ok(isSlot(first));
  const second = slots.take(half, never);
  first.received(webhookBytesMax);
  first.end();
  const next = await second;
  assert.ok(isSlot(next));
  const small = await slots.take("{}", never);
  assert.ok(isSlot(small));
  assert.throws(() => small.received(webhookBytesMax / 2), /more than 67108864 bytes/);
});

test("a wait ends with its request", async () => {
  const slots = new CallSlots(manualClock()), over = new AbortController();
  await filled(slots, webhookCallsMax);
  const waiting = slots.take("{}", over.signal);
  over.abort(new Error("gone"));
  await assert.rejects(waiting, /gone/);
  await assert.rejects(slots.take("{}", over.signal), /gone/);
});
