import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../core/async.ts";
import { manualClock } from "../../core/test-clock.ts";
import { reloadEndMs, watchFile } from "./watch-file.ts";

/** A file whose state the test sets, and a clock that advances check by check. */
function room() {
  let state: string | undefined = "first", run: (() => void) | undefined;
  const told: string[] = [];
  const ending = new AbortController();
  const clock: Clock = {
    now: () => 0,
    after(_ms, next) {
      run = next;
      return () => {};
    },
  };
  const look = () => {
    if (state === undefined) throw new Error("no such file");
    return state;
  };
  const changed = () => Promise.resolve(void told.push(state ?? ""));
  const done = watchFile({ look, everyMs: 1000, clock, signal: ending.signal, changed });
  return {
    told,
    set: (next: string | undefined) => state = next,
    async tick() {
      run?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    async end() {
      ending.abort();
      await done;
    },
  };
}

test("watchFile() reports the first state once, and then every change that is stable for two checks", async () => {
  const { told, set, tick, end } = room();
  await tick();
  await tick();
  assert.deepEqual(told, ["first"]);
  set("half");
  await tick();
  set("whole");
  await tick();
  assert.deepEqual(told, ["first"], "it is still being written");
  await tick();
  await tick();
  assert.deepEqual(told, ["first", "whole"]);
  await end();
});

test("watchFile() ends soon after its signal, also during a report that never ends", async () => {
  const clock = manualClock(), ending = new AbortController(), begun = Promise.withResolvers<void>();
  const changed = () => (begun.resolve(), new Promise<void>(() => {}));
  const done = watchFile({ look: () => Promise.resolve("state"), everyMs: 1000, clock, signal: ending.signal, changed });
  await turn();
  clock.advance(1000);
  await begun.promise;
  ending.abort();
  await turn();
  clock.advance(reloadEndMs);
  await done;
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("watchFile() waits for an unreadable file, and does not report one that returns unchanged", async () => {
  const { told, set, tick, end } = room();
  await tick();
  set(undefined);
  await tick();
  await tick();
  set("first");
  await tick();
  await tick();
  assert.deepEqual(told, ["first"]);
  set("other");
  await tick();
  await tick();
  assert.deepEqual(told, ["first", "other"]);
  await end();
});
