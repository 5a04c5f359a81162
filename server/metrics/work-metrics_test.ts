import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../../metrics/mod.ts";
import { workMeter, workMetrics } from "./work-metrics.ts";

function world() {
  const { record, text } = createRegistry(workMetrics);
  let time = 0;
  const { meter, update } = workMeter(record, "sweeper", () => time);
  return {
    meter,
    pass: (seconds: number) => void (time += seconds * 1000),
    async values() {
      update();
      const lines = (await text()).split("\n").filter((line) => line.includes("sweeper") && !line.includes("_bucket"));
      return Object.fromEntries(lines.map((line) => [line.slice("workqueue_".length, line.indexOf("{")), Number(line.split(" ").at(-1))]));
    },
  };
}

test("workMeter() counts items, their time in the queue and their processing time", async () => {
  const { meter, pass, values } = world();
  meter.added("a");
  meter.added("a");
  meter.added("b");
  pass(2);
  meter.started("a");
  pass(3);
  meter.done("a", true);
  const { adds_total, depth, queue_duration_seconds_sum, work_duration_seconds_sum, retries_total } = await values();
  assert.deepEqual(
    { adds_total, depth, queue_duration_seconds_sum, work_duration_seconds_sum, retries_total },
    { adds_total: 2, depth: 1, queue_duration_seconds_sum: 2, work_duration_seconds_sum: 3, retries_total: 1 },
  );
  meter.forgotten("b");
  assert.equal((await values()).depth, 0);
});

test("workMeter() reports the time of unfinished work", async () => {
  const { meter, pass, values } = world();
  for (const item of ["a", "b"]) {
    meter.added(item);
    meter.started(item);
    pass(1);
  }
  const during = await values();
  assert.deepEqual([during.unfinished_work_seconds, during.longest_running_processor_seconds], [3, 2]);
  meter.done("a");
  meter.done("b");
  const after = await values();
  assert.deepEqual([after.unfinished_work_seconds, after.longest_running_processor_seconds], [0, 0]);
});

test("workMeter() ignores items that were never added, and keeps an item that is added again while in progress", async () => {
  const { meter, values } = world();
  meter.started("a");
  meter.done("a");
  assert.equal((await values()).work_duration_seconds_count, 0);
  meter.added("b");
  meter.started("b");
  meter.added("b");
  meter.done("b");
  const { depth, adds_total } = await values();
  assert.deepEqual([depth, adds_total], [1, 2]);
});
