import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry, defineMetric, recordRemote, remoteMetric, type RemoteRecording } from "./mod.ts";

const checks = defineMetric({ name: "checks_total", type: "counter", help: "Checks.", labels: ["result"], stability: "ALPHA" });
const size = defineMetric({ name: "size", type: "gauge", help: "Size.", labels: [], stability: "ALPHA" });
const seconds = defineMetric({ name: "seconds", type: "histogram", help: "Time.", labels: [], buckets: [1], stability: "ALPHA" });

test("remoteMetric() and recordRemote() carry every kind of recording to another registry", async () => {
  const registry = createRegistry({});
  registry.adopt([checks, size, seconds]);
  const sent: RemoteRecording[] = [];
  const metric = remoteMetric((recording) => sent.push(recording));
  metric(checks).with({ result: "ok" }).add();
  metric(checks).with({ result: "ok" }).add(2);
  metric(size).with({}).set(4);
  metric(size).reset();
  metric(size).with({}).set(5);
  metric(seconds).with({}).observe(0.5);
  for (const recording of structuredClone(sent)) recordRemote(registry.metric, recording);
  const lines = (await registry.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(lines, [
    'checks_total{result="ok"} 3',
    'seconds_bucket{le="1"} 1',
    'seconds_bucket{le="+Inf"} 1',
    "seconds_sum 0.5",
    "seconds_count 1",
    "size 5",
  ]);
});
