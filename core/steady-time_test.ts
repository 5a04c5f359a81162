// In Deno's suite only: a pure function.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clockDoubtMs, clockJumpMs, steadyTime } from "./steady-time.ts";

function clocks() {
  const state = { elapsed: 500, offset: 1_000_000 }, said: (number | string)[] = [];
  const now = steadyTime({
    wall: () => state.elapsed + state.offset,
    elapsed: () => state.elapsed,
    jumped: (ms) => void said.push(ms),
    settled: (because) => void said.push(because),
  });
  return { state, said, now };
}

test("steadyTime() follows a clock that is adjusted gradually", () => {
  const { state, said, now } = clocks();
  for (let look = 0; look < 100; look++) {
    state.elapsed += 1000;
    state.offset += clockJumpMs - 1;
    assert.equal(now(), state.elapsed + state.offset);
  }
  assert.deepEqual(said, []);
});

for (const jump of [clockJumpMs, -clockJumpMs, 315_360_000_000, -7_200_000]) {
  test(`steadyTime() goes on from before a jump of ${jump} ms, until the clock is back`, () => {
    const { state, said, now } = clocks();
    const before = now();
    state.offset += jump;
    assert.equal(now(), before);
    state.elapsed += clockDoubtMs - 1;
    assert.equal(now(), before + clockDoubtMs - 1);
    state.offset -= jump;
    assert.equal(now(), before + clockDoubtMs - 1);
    assert.deepEqual(said, [jump, "back"]);
  });

  test(`steadyTime() uses the time after a jump of ${jump} ms once it has lasted`, () => {
    const { state, said, now } = clocks();
    now();
    state.offset += jump;
    now();
    state.elapsed += clockDoubtMs;
    assert.equal(now(), state.elapsed + state.offset);
    assert.deepEqual(said, [jump, "accepted"]);
  });
}

test("steadyTime() waits anew after another jump", () => {
  const { state, said, now } = clocks();
  state.offset += 10_000_000;
  const before = now();
  state.elapsed += clockDoubtMs - 1;
  state.offset += 10_000_000;
  now();
  state.elapsed += clockDoubtMs - 1;
  assert.equal(now(), before + 2 * (clockDoubtMs - 1));
  state.elapsed += 1;
  assert.equal(now(), state.elapsed + state.offset);
  assert.deepEqual(said, [10_000_000, 20_000_000, "accepted"]);
});
