import assert from "node:assert/strict";
import { test } from "node:test";
import { combineParts, createRegistry, cumulativeParts, defineMetric, sampleSum } from "./mod.ts";

const definitions = {
  requests: defineMetric({ name: "requests_total", type: "counter", help: "Requests.", labels: ["verb"], stability: "ALPHA" }),
  seconds: defineMetric({ name: "seconds", type: "histogram", help: "Time.", labels: ["verb"], buckets: [1, 2], stability: "ALPHA" }),
  running: defineMetric({ name: "running", type: "gauge", help: "Running.", labels: [], stability: "ALPHA" }),
  size: defineMetric({ name: "size", type: "gauge", help: "Size.", labels: [], stability: "ALPHA", combined: "max" }),
  since: defineMetric({ name: "since", type: "gauge", help: "Start.", labels: [], stability: "ALPHA", combined: "min" }),
  files: defineMetric({ name: "files", type: "gauge", help: "Files.", labels: [], stability: "ALPHA", combined: "each" }),
  checks: defineMetric({
    name: "checks",
    type: "gauge",
    help: "Checks.",
    labels: ["name"],
    stability: "ALPHA",
    combined: "each",
    sli: true,
  }),
};

const one = createRegistry(definitions), two = createRegistry(definitions);
one.record.requests.with({ verb: 'a"\n b' }).add(2);
one.record.requests.with({ verb: "get" }).add(3);
two.record.requests.with({ verb: "get" }).add(4);
two.record.requests.with({ verb: "list" }).add(5);
one.record.seconds.with({ verb: "get" }).observe(0.5);
two.record.seconds.with({ verb: "get" }).observe(1.5);
two.record.seconds.with({ verb: "get" }).observe(9);
for (const [index, { record }] of [one, two].entries()) {
  for (const key of ["running", "size", "since", "files"] as const) record[key].with({}).set(10 + index);
  record.checks.with({ name: "etcd" }).set(index);
}
const sources = async (which?: "slis") => [{ worker: "1", parts: await one.parts(which) }, { worker: "2", parts: await two.parts(which) }];
const textOf = (parts: ReturnType<typeof combineParts>) => parts.map(({ text }) => text).join("");

test("combineParts() adds counters, histograms and amounts, and takes the greatest, the least or each of other gauges", async () => {
  assert.equal(
    textOf(combineParts(await sources())),
    `# HELP checks [ALPHA] Checks.
# TYPE checks gauge
checks{worker="1",name="etcd"} 0
checks{worker="2",name="etcd"} 1
# HELP files [ALPHA] Files.
# TYPE files gauge
files{worker="1"} 10
files{worker="2"} 11
# HELP requests_total [ALPHA] Requests.
# TYPE requests_total counter
requests_total{verb="a\\"\\n b"} 2
requests_total{verb="get"} 7
requests_total{verb="list"} 5
# HELP running [ALPHA] Running.
# TYPE running gauge
running 21
# HELP seconds [ALPHA] Time.
# TYPE seconds histogram
seconds_bucket{le="1",verb="get"} 1
seconds_bucket{le="2",verb="get"} 2
seconds_bucket{le="+Inf",verb="get"} 3
seconds_sum{verb="get"} 11
seconds_count{verb="get"} 3
# HELP since [ALPHA] Start.
# TYPE since gauge
since 10
# HELP size [ALPHA] Size.
# TYPE size gauge
size 11
`,
  );
});

test("combineParts() of one process is its own text", async () => {
  for (const which of [undefined, "slis"] as const) {
    const parts = (await one.parts(which)).filter(({ combined }) => combined !== "each");
    assert.equal(textOf(combineParts([{ worker: "1", parts }])), parts.map(({ text }) => text).join(""));
  }
  assert.equal(textOf(combineParts([])), "");
});

test("combineParts() keeps values that are no finite numbers", () => {
  const part = (value: string) =>
    [{ name: "x", type: "gauge", combined: "sum", text: `# HELP x X\n# TYPE x gauge\nx ${value}\n` }] as const;
  const sum = (a: string, b: string) =>
    /^x (.*)$/m.exec(textOf(combineParts([part(a), part(b)].map((parts) => ({ worker: "", parts })))))?.[1];
  assert.deepEqual([sum("+Inf", "1"), sum("-Inf", "1"), sum("NaN", "1"), sum("1e+21", "1")], ["+Inf", "-Inf", "NaN", "1e+21"]);
});

test("cumulativeParts() leaves gauges out, and sampleSum() adds the samples of one metric", async () => {
  const [first] = await sources();
  assert.deepEqual(cumulativeParts(first!.parts).map(({ name }) => name), ["requests_total", "seconds"]);
  assert.equal(sampleSum(first!.parts, "requests_total"), 5);
  assert.equal(sampleSum(first!.parts, "absent"), 0);
});

test("defineMetric() rejects a combination of a counter, and the label worker where each worker's value has it", () => {
  const base = { name: "x", help: "X.", stability: "ALPHA" } as const;
  assert.throws(() => defineMetric({ ...base, type: "counter", labels: [], combined: "max" }), /a counter is always summed/);
  assert.throws(() => defineMetric({ ...base, type: "gauge", labels: ["worker"], combined: "each" }), /label "worker" is reserved/);
});
