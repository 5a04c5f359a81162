import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../core/async.ts";
import { freeStartGarbage, quietCpuMs, quietLooksMax, quietMs, startGarbageBytesMax } from "./start-garbage.ts";

/** Runs it with the CPU milliseconds that the process used between two looks; resolves with the number of looks and of collections. */
async function collections(used: readonly number[], { objectBytes = 1, abortAt = Infinity } = {}) {
  const ending = new AbortController(), waits: number[] = [];
  let cpuMs = 1_000, collected = 0, opened = 0;
  const clock: Clock = {
    now: () => 0,
    after(ms, run) {
      cpuMs += used[waits.length] ?? used.at(-1) ?? 0;
      waits.push(ms);
      if (waits.length === abortAt) queueMicrotask(() => ending.abort());
      else queueMicrotask(run);
      return () => {};
    },
  };
  const openHeap = () => {
    opened++;
    return { objectBytes: () => objectBytes, collect: () => void collected++ };
  };
  await freeStartGarbage({ openHeap, cpuMs: () => cpuMs, clock, signal: ending.signal });
  return { looks: waits.length, collected, opened, waits };
}

test("freeStartGarbage() collects once, at the first look at which the server was quiet", async () => {
  assert.deepEqual(await collections([500, quietCpuMs + 1, quietCpuMs]), {
    looks: 3,
    collected: 1,
    opened: 1,
    waits: [quietMs, quietMs, quietMs],
  });
});

test("freeStartGarbage() gives up when the server is never quiet, and when it ends", async () => {
  const busy = await collections([quietCpuMs + 1]);
  assert.deepEqual([busy.looks, busy.collected, busy.opened], [quietLooksMax, 0, 0]);
  const ended = await collections([0], { abortAt: 1 });
  assert.deepEqual([ended.looks, ended.collected], [1, 0]);
});

test("freeStartGarbage() collects the heap of a start with 100,000 custom resources, of 75 to 110 MiB", async () => {
  assert.equal((await collections([0], { objectBytes: 110 * 1024 * 1024 })).collected, 1);
});

test("freeStartGarbage() leaves a large heap alone", async () => {
  assert.equal((await collections([0], { objectBytes: startGarbageBytesMax })).collected, 1);
  const large = await collections([0], { objectBytes: startGarbageBytesMax + 1 });
  assert.deepEqual([large.looks, large.collected], [1, 0]);
});
