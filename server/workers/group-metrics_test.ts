import assert from "node:assert/strict";
import { test } from "node:test";
import type { MetricPart } from "../../metrics/mod.ts";
import { CombinedMetrics } from "./group-metrics.ts";

const part = (name: string, type: MetricPart["type"], value: number): MetricPart => ({
  name,
  type,
  combined: "sum",
  text: `# HELP ${name} X.\n# TYPE ${name} ${type}\n${name} ${value}\n`,
});
const metricsOf = (requests: number): readonly MetricPart[] => [
  part("apiserver_request_total", "counter", requests),
  part("process_resident_memory_bytes", "gauge", 100),
  part("process_cpu_seconds_total", "counter", requests / 10),
  part("running", "gauge", 1),
];
const valueOf = (text: string, series: string) => text.split("\n").find((line) => line.startsWith(`${series} `))?.split(" ")[1];

test("CombinedMetrics adds the workers, and has the requests of each", async () => {
  const metrics = new CombinedMetrics(["process_resident_memory_bytes"]);
  metrics.states(2, 1);
  const text = await metrics.text(undefined, [1, 2], (worker) => Promise.resolve(metricsOf(10 * worker)));
  assert.equal(valueOf(text, "apiserver_request_total"), "30");
  assert.equal(valueOf(text, "running"), "2");
  assert.equal(valueOf(text, 'thole_worker_requests_total{worker="1"}'), "10");
  assert.equal(valueOf(text, 'thole_worker_requests_total{worker="2"}'), "20");
  assert.equal(valueOf(text, 'thole_worker_resident_memory_bytes{worker="2"}'), "100");
  assert.equal(valueOf(text, 'thole_worker_cpu_seconds_total{worker="2"}'), "2");
  assert.equal(valueOf(text, 'thole_workers{state="configured"}'), "2");
  assert.equal(valueOf(text, 'thole_workers{state="ready"}'), "1");
  assert.equal(valueOf(text, "thole_worker_restarts_total"), "0");
  assert.equal(valueOf(text, "process_resident_memory_bytes"), "200", "a disabled metric of the supervisor is left out");
});

test("CombinedMetrics keeps the counts of a worker that has ended, so that no counter falls", async () => {
  const metrics = new CombinedMetrics([]);
  const first = (worker: number) => Promise.resolve(metricsOf(10 * worker));
  await metrics.text(undefined, [1, 2], first);
  metrics.ended(2);
  const without = await metrics.text(undefined, [1, 2], (worker) => worker === 1 ? first(1) : Promise.reject(new Error("it has ended")));
  assert.equal(valueOf(without, "apiserver_request_total"), "30");
  assert.equal(valueOf(without, "running"), "1", "a gauge of it does not stay");
  const again = await metrics.text(undefined, [1, 2], (worker) => worker === 1 ? first(1) : Promise.resolve(metricsOf(3)));
  assert.equal(valueOf(again, "apiserver_request_total"), "33");
  assert.equal(valueOf(again, 'thole_worker_requests_total{worker="2"}'), "23");
  assert.equal(valueOf(again, "thole_worker_restarts_total"), "1");
});

test("CombinedMetrics counts a worker that does not answer with its last answer", async () => {
  const metrics = new CombinedMetrics([]);
  await metrics.text(undefined, [1, 2], (worker) => Promise.resolve(metricsOf(10 * worker)));
  const silent = (worker: number) => worker === 1 ? Promise.resolve(metricsOf(11)) : Promise.reject(new Error("timed out"));
  const text = await metrics.text(undefined, [1, 2], silent);
  assert.equal(valueOf(text, "apiserver_request_total"), "31");
  assert.equal(valueOf(text, "running"), "2");
  const slis = await metrics.text("slis", [1, 2], (worker) => worker === 1 ? Promise.resolve([part("running", "gauge", 5)]) : silent(2));
  assert.equal(slis, "# HELP running X.\n# TYPE running gauge\nrunning 6\n");
});

test("CombinedMetrics counts a worker once that ends while another one has not answered", async () => {
  const metrics = new CombinedMetrics([]);
  await metrics.text(undefined, [1, 2], () => Promise.resolve(metricsOf(10)));
  const late = Promise.withResolvers<readonly MetricPart[]>();
  const asked = metrics.text(undefined, [1, 2], (worker) => worker === 1 ? Promise.resolve(metricsOf(15)) : late.promise);
  await new Promise((resolve) => setImmediate(resolve));
  metrics.ended(1);
  late.resolve(metricsOf(20));
  assert.equal(valueOf(await asked, "apiserver_request_total"), "35");
  const again = await metrics.text(undefined, [1, 2], (worker) => Promise.resolve(metricsOf(worker === 1 ? 2 : 20)));
  assert.equal(valueOf(again, "apiserver_request_total"), "37");
  assert.equal(valueOf(again, 'thole_worker_requests_total{worker="1"}'), "17");
});

test("CombinedMetrics takes the newest answer of a worker when scrapes overtake each other", async () => {
  const metrics = new CombinedMetrics([]);
  const late = Promise.withResolvers<readonly MetricPart[]>();
  const slow = metrics.text(undefined, [1, 2], (worker) => worker === 1 ? Promise.resolve(metricsOf(10)) : late.promise);
  await new Promise((resolve) => setImmediate(resolve));
  const fast = await metrics.text(undefined, [1, 2], () => Promise.resolve(metricsOf(30)));
  assert.equal(valueOf(fast, "apiserver_request_total"), "60");
  late.reject(new Error("timed out"));
  assert.equal(valueOf(await slow, "apiserver_request_total"), "60");
  const again = await metrics.text(undefined, [1, 2], () => Promise.resolve(metricsOf(31)));
  assert.equal(valueOf(again, 'thole_worker_requests_total{worker="1"}'), "31");
});

test("CombinedMetrics keeps the counts of service level indicators of a worker that has ended", async () => {
  const metrics = new CombinedMetrics([]);
  const checks = (count: number) => [part("kubernetes_healthchecks_total", "counter", count)];
  await metrics.text("slis", [1, 2], () => Promise.resolve(checks(10)));
  metrics.ended(2);
  const text = await metrics.text(
    "slis",
    [1, 2],
    (worker) => worker === 1 ? Promise.resolve(checks(11)) : Promise.reject(new Error("it has ended")),
  );
  assert.equal(valueOf(text, "kubernetes_healthchecks_total"), "21");
});

test("CombinedMetrics forgets all counts at a restart", async () => {
  const metrics = new CombinedMetrics([]);
  await metrics.text(undefined, [1, 2], (worker) => Promise.resolve(metricsOf(10 * worker)));
  metrics.ended(2);
  metrics.restart("slis");
  const ask = (worker: number) => worker === 1 ? Promise.resolve(metricsOf(1)) : Promise.reject(new Error("it has ended"));
  assert.equal(valueOf(await metrics.text(undefined, [1, 2], ask), "apiserver_request_total"), "21");
  metrics.restart(undefined);
  const text = await metrics.text(undefined, [1, 2], ask);
  assert.equal(valueOf(text, "apiserver_request_total"), "1");
  assert.equal(valueOf(text, "thole_worker_restarts_total"), "0");
});
