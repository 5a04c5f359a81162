import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../core/async.ts";
import { watchFile } from "./watch-file.ts";

/** A file whose state the test sets, and time that goes from look to look. */
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

test("watchFile() tells the state at the beginning once, and then every change that has lasted from one look to the next", async () => {
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

test("watchFile() waits for a file that cannot be looked at, and tells one that came back as it was nothing", async () => {
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
