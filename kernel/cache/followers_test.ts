import assert from "node:assert/strict";
import { test } from "node:test";
import { type Follower, followers } from "./followers.ts";

/** So many followers of everything, each of which notes from where on it was woken whenever it is served. */
function scene(count: number) {
  const clock = { now: 1_000 };
  const all = followers("/notes/", () => clock.now);
  const served: number[][] = [];
  for (let index = 0; index < count; index++) {
    const mine: number[] = [];
    let woken: number | undefined;
    const follower: Follower = {
      get waits() {
        return woken === undefined;
      },
      wake: (first) => woken = first,
      pump() {
        mine.push(woken!);
        woken = undefined;
      },
      check() {},
      end() {},
    };
    all.add("/notes/", undefined, follower);
    served.push(mine);
  }
  return { clock, served, tell: (first: number) => all.tell([], first) };
}
const many = 32;
const each = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("followers() serves a few whenever something happens", () => {
  const { tell, served } = scene(many - 1);
  for (const first of [1, 2, 3]) tell(first);
  assert.deepEqual(served, each(many - 1, [1, 2, 3]));
});

for (const { count, ms } of [{ count: many, ms: 6.4 }, { count: 100, ms: 20 }, { count: 125, ms: 25 }, { count: 128, ms: 25 }]) {
  test(`followers() gathers for ${count} what comes within ${ms} ms after the last, and serves the first after a pause at once`, async () => {
    const { clock, tell, served } = scene(count);
    tell(1);
    assert.deepEqual(served, each(count, [1]));
    clock.now += ms - 0.1;
    tell(2);
    tell(3);
    assert.deepEqual(served, each(count, [1]));
    while (served[0]!.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    // Each was woken by the second, and finds the third by itself.
    assert.deepEqual(served, each(count, [1, 2]));
    clock.now += ms;
    tell(4);
    assert.deepEqual(served, each(count, [1, 2, 4]));
  });
}
