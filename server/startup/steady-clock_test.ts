// In Deno's suite only: the clocks are given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { steadyClock } from "./steady-clock.ts";
import { clockDoubtMs } from "../../core/steady-time.ts";

test("steadyClock() logs a jump once, with direction and size, and its end", () => {
  const state = { wall: Date.UTC(2030, 0, 1), elapsed: 0 }, said: string[] = [];
  const log = { info: (line: string) => void said.push(line), error: (line: string) => void said.push(`error: ${line}`) };
  const { now } = steadyClock(log, { wall: () => state.wall, elapsed: () => state.elapsed });
  state.wall -= 7_200_000;
  for (let look = 0; look < 3; look++) assert.equal(now(), Date.UTC(2030, 0, 1));
  state.wall += 7_200_000;
  now();
  state.wall += 10_500;
  now();
  state.wall += clockDoubtMs;
  state.elapsed += clockDoubtMs;
  assert.equal(now(), state.wall);
  const wait = "against the time that has passed: expiry of objects and renewal of certificates wait";
  assert.deepEqual(said, [
    `error: the clock was set back by 7200.000 s ${wait}`,
    "the clock is right again",
    `error: the clock was set forward by 10.500 s ${wait}`,
    "the time of the clock is used again for expiry and renewals",
  ]);
});
