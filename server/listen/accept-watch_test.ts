// In Deno's suite only: plain objects.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptWatch, type Attempt } from "./accept-watch.ts";

/** A watch of a listener whose attempts end as given, the last one again and again. */
function scene(attempts: readonly Attempt[], listenAnew: () => Promise<void> = () => Promise.resolve()) {
  const seen = {
    attempts: 0,
    patience: [] as number[],
    renewed: 0,
    notices: [] as string[],
    failed: undefined as Error | undefined,
    accepted: 0,
  };
  const watch = new AcceptWatch({
    accepted: () => seen.accepted,
    attempt(patience) {
      seen.patience.push(patience);
      const attempt = attempts[Math.min(seen.attempts++, attempts.length - 1)]!;
      if (attempt === "accepted") seen.accepted++;
      return Promise.resolve(attempt);
    },
    listenAnew() {
      seen.renewed++;
      return listenAnew();
    },
    notice: (message) => seen.notices.push(message),
    fail: (error) => seen.failed = error,
  });
  const looks = async (count: number) => {
    for (let look = 0; look < count; look++) await watch.look();
  };
  return { seen, watch, looks };
}

test("AcceptWatch connects once after the last accepted connection, and then at every twelfth look", async () => {
  const { seen, looks } = scene(["accepted"]);
  await looks(1);
  assert.equal(seen.attempts, 1);
  await looks(11);
  assert.equal(seen.attempts, 1);
  await looks(1);
  assert.equal(seen.attempts, 2);
  // While clients connect it does not.
  for (let count = 0; count < 30; count++) {
    seen.accepted++;
    await looks(1);
  }
  assert.equal(seen.attempts, 2);
  await looks(1);
  assert.equal(seen.attempts, 3);
  assert.deepEqual([seen.renewed, seen.failed], [0, undefined]);
});

test("AcceptWatch listens anew after two attempts without an answer, and looks again soon", async () => {
  const { seen, looks } = scene(["unanswered", "unanswered", "accepted"]);
  await looks(1);
  assert.deepEqual([seen.attempts, seen.renewed, seen.notices.length], [2, 1, 1]);
  await looks(1);
  assert.deepEqual([seen.attempts, seen.renewed], [3, 1]);
  assert.equal(seen.failed, undefined);
});

test("AcceptWatch takes one late answer for a busy machine, and what cannot be tried for nothing", async () => {
  const late = scene(["unanswered", "accepted"]);
  await late.looks(1);
  assert.deepEqual([late.seen.attempts, late.seen.renewed], [2, 0]);
  const forbidden = scene(["impossible"]);
  await forbidden.looks(30);
  assert.equal(forbidden.seen.renewed, 0);
});

test("AcceptWatch goes on until its own process accepts, where several listen on the port", async () => {
  const others = scene([...Array<Attempt>(10).fill("elsewhere"), "accepted"]);
  await others.looks(1);
  assert.deepEqual([others.seen.attempts, others.seen.renewed], [11, 0]);
  const dead = scene([...Array<Attempt>(3).fill("elsewhere"), "unanswered", "elsewhere", "unanswered"]);
  await dead.looks(1);
  assert.deepEqual([dead.seen.attempts, dead.seen.renewed], [6, 1]);
  const never = scene(["elsewhere"]);
  await never.looks(1);
  assert.equal(never.seen.renewed, 1);
});

test("AcceptWatch gives up after listening anew three times in vain, and at once if that fails", async () => {
  const vain = scene(["unanswered"]);
  await vain.looks(3);
  assert.deepEqual([vain.seen.renewed, vain.seen.failed], [3, undefined]);
  await vain.looks(20);
  assert.equal(vain.seen.renewed, 3);
  assert.match(String(vain.seen.failed), /also after listening anew 3 times/);
  assert.deepEqual(vain.seen.patience, [1, 1, 3, 3, 9, 9, 27, 27], "a busy machine has two minutes before the process ends");
  const refused = scene(["unanswered"], () => Promise.reject(new Error("address in use")));
  await refused.looks(5);
  assert.equal(refused.seen.renewed, 1);
  assert.match(String(refused.seen.failed), /cannot listen anew: address in use/);
});

test("AcceptWatch does nothing after its end, also if an attempt was under way", async () => {
  const { seen, watch, looks } = scene(["unanswered"]);
  const looking = watch.look();
  watch.end();
  await looking;
  await looks(20);
  assert.deepEqual([seen.attempts, seen.renewed], [1, 0]);
});
