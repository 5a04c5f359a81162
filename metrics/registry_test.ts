import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry, defineMetric, labelLengthMax, unexpected } from "./mod.ts";

const requests = defineMetric({
  name: "requests_total",
  type: "counter",
  help: "Requests.",
  labels: ["verb", "code"],
  stability: "STABLE",
});
const level = defineMetric({ name: "level", type: "gauge", help: "Level.", labels: [], stability: "BETA" });
const seconds = defineMetric({
  name: "seconds",
  type: "histogram",
  help: "Time.",
  labels: ["verb"],
  buckets: [0.125, 1],
  stability: "ALPHA",
});

test("createRegistry() writes counters with their stability and labels", async () => {
  const registry = createRegistry({ requests });
  registry.record.requests.with({ verb: "GET", code: "200" }).add();
  registry.record.requests.with({ code: "200", verb: "GET" }).add(2);
  registry.record.requests.with({ verb: "LIST", code: "200" }).add();
  assert.equal(
    await registry.text(),
    `# HELP requests_total [STABLE] Requests.
# TYPE requests_total counter
requests_total{verb="GET",code="200"} 3
requests_total{verb="LIST",code="200"} 1
`,
  );
  assert.equal(registry.contentType, "text/plain; version=0.0.4; charset=utf-8");
});

test("createRegistry() writes histograms with cumulative buckets; a value on a bound belongs to its bucket", async () => {
  const { record, text } = createRegistry({ seconds });
  const series = record.seconds.with({ verb: "GET" });
  for (const value of [0.0625, 0.125, 0.25, 1, 7]) series.observe(value);
  const lines = (await text()).split("\n");
  assert.deepEqual(lines.slice(2), [
    'seconds_bucket{le="0.125",verb="GET"} 2',
    'seconds_bucket{le="1",verb="GET"} 4',
    'seconds_bucket{le="+Inf",verb="GET"} 5',
    'seconds_sum{verb="GET"} 8.4375',
    'seconds_count{verb="GET"} 5',
    "",
  ]);
});

test("createRegistry() serves a metric without labels from the start, and one with labels from its first recording", async () => {
  const registry = createRegistry({ requests, level });
  assert.equal(await registry.text(), "# HELP level [BETA] Level.\n# TYPE level gauge\nlevel 0\n");
  registry.record.level.with({}).set(4);
  registry.record.level.with({}).add(-5);
  assert.match(await registry.text(), /^level -1$/m);
});

test("createRegistry() sorts metrics by name and marks deprecated ones", async () => {
  const old = defineMetric({ name: "a_old", type: "gauge", help: "Old.", labels: [], stability: "STABLE", deprecatedSince: "1.34.0" });
  const registry = createRegistry({ level, old });
  assert.deepEqual((await registry.text()).match(/^# HELP.*$/gm), [
    "# HELP a_old [STABLE] (Deprecated since 1.34.0) Old.",
    "# HELP level [BETA] Level.",
  ]);
});

test("Gauge.reset() removes label sets; later recordings add new ones", async () => {
  const { record, text } = createRegistry({
    on: defineMetric({ name: "on", type: "gauge", help: "On.", labels: ["name", "stage"], stability: "BETA" }),
  });
  const kept = record.on.with({ name: "a", stage: "" });
  kept.set(1);
  record.on.with({ name: "b", stage: "" }).set(1);
  record.on.reset();
  kept.set(2);
  assert.doesNotMatch(await text(), /^on\{/m);
  record.on.with({ name: "b", stage: "" }).set(0);
  assert.deepEqual((await text()).match(/^on\{.*/gm), ['on{name="b",stage=""} 0']);
});

test("createRegistry() shares no state between registries", async () => {
  const one = createRegistry({ level }), two = createRegistry({ level });
  one.record.level.with({}).set(1);
  assert.match(await two.text(), /^level 0$/m);
});

test("createRegistry() rejects two definitions of one name", () => {
  assert.throws(() => createRegistry({ level, again: level, other: defineMetric({ ...level }) }), /level/);
});

test("Registry.beforeScrape() runs before every scrape", async () => {
  const registry = createRegistry({ level });
  registry.beforeScrape(async () => {
    await Promise.resolve();
    registry.record.level.with({}).add(1);
  });
  await registry.text();
  assert.match(await registry.text(), /^level 2$/m);
});

test("Registry.text() escapes label values, and accepts names of Object.prototype as values", async () => {
  const registry = createRegistry({ requests });
  for (const verb of ['a"b', "a\\b", "a\nb", "__proto__", "constructor", ""]) registry.record.requests.with({ verb, code: "1" }).add();
  assert.deepEqual((await registry.text()).split("\n").slice(2, -1), [
    'requests_total{verb="a\\"b",code="1"} 1',
    'requests_total{verb="a\\\\b",code="1"} 1',
    'requests_total{verb="a\\nb",code="1"} 1',
    'requests_total{verb="__proto__",code="1"} 1',
    'requests_total{verb="constructor",code="1"} 1',
    'requests_total{verb="",code="1"} 1',
  ]);
});

test("Counter.with() caches frozen labels, and reset() drops the cache", async () => {
  const { record, text } = createRegistry({
    level: defineMetric({ name: "level", type: "gauge", help: "A level.", labels: ["a"], stability: "ALPHA" }),
    beyond: defineMetric({ name: "beyond_total", type: "counter", help: "A count.", labels: ["a"], stability: "ALPHA", seriesMax: 1 }),
  }, { overflowed: (name) => overflowed.push(name) });
  const labels = Object.freeze({ a: "x" }), more = Object.freeze({ a: "y" });
  record.level.with(labels).add(2);
  record.level.with(labels).add(3);
  record.level.with({ a: "x" }).add(4);
  assert.match(await text(), /^level\{a="x"\} 9$/m);
  record.level.reset();
  record.level.with(labels).add(1);
  assert.match(await text(), /^level\{a="x"\} 1$/m);
  record.beyond.with(labels).add();
  for (let time = 0; time < 2; time++) record.beyond.with(more).add();
  assert.deepEqual(overflowed, ["beyond_total", "beyond_total"]);
});
const overflowed: string[] = [];

test("Counter.with() separates label sets whose joined texts are equal", async () => {
  const registry = createRegistry({ requests });
  registry.record.requests.with({ verb: "a,code:b", code: "c" }).add();
  registry.record.requests.with({ verb: "a", code: "b,code:c" }).add();
  assert.equal((await registry.text()).match(/ 1$/gm)?.length, 2);
});

test("Counter.with() merges label sets with the same text into one series", async () => {
  const registry = createRegistry({ requests });
  const long = "x".repeat(labelLengthMax);
  for (const verb of ["\ud800", "\udfff", "\ufffd", long, `${long}y`]) registry.record.requests.with({ verb, code: "1" }).add();
  assert.deepEqual((await registry.text()).split("\n").slice(2, -1), [
    'requests_total{verb="\ufffd",code="1"} 3',
    `requests_total{verb="${long}",code="1"} 2`,
  ]);
});

test("Counter.with() puts label sets beyond seriesMax into one series, and calls overflowed", async () => {
  const overflows: string[] = [];
  const bounded = defineMetric({ ...requests, seriesMax: 2 });
  const registry = createRegistry({ bounded }, { overflowed: (metric) => overflows.push(metric) });
  for (const verb of ["a", "b"]) registry.record.bounded.with({ verb, code: "1" }).add();
  assert.deepEqual(overflows, []);
  for (const verb of ["c", "d", "a"]) registry.record.bounded.with({ verb, code: "1" }).add();
  assert.deepEqual(overflows, ["requests_total", "requests_total"]);
  assert.deepEqual((await registry.text()).split("\n").slice(2, -1), [
    'requests_total{verb="a",code="1"} 2',
    'requests_total{verb="b",code="1"} 1',
    `requests_total{verb="${unexpected}",code="${unexpected}"} 2`,
  ]);
});

test("recorders reject invalid values and missing labels", () => {
  const { record } = createRegistry({ requests, level, seconds });
  const counter = record.requests.with({ verb: "a", code: "1" });
  for (const amount of [-1, NaN, Infinity]) assert.throws(() => counter.add(amount), RangeError);
  for (const value of [NaN, Infinity, -Infinity]) assert.throws(() => record.seconds.with({ verb: "a" }).observe(value), RangeError);
  assert.throws(() => record.level.with({}).set(NaN), RangeError);
  // @ts-expect-error a label is missing
  assert.throws(() => record.requests.with({ verb: "a" }), /label "code" has the value undefined/);
});

test("defineMetric() freezes a definition and reports every mistake at once", () => {
  assert.ok(Object.isFrozen(requests) && Object.isFrozen(requests.labels));
  assert.throws(
    () => defineMetric({ name: "a-b", type: "histogram", help: "", labels: ["le", "a", "a", "b c"], stability: "ALPHA", seriesMax: 0 }),
    (error: Error) =>
      ["name", "help", '"le" is reserved', '"a" is repeated', '"b c"', "buckets", "seriesMax"].every((word) =>
        error.message.includes(word)
      ),
  );
  assert.throws(() => defineMetric({ ...seconds, buckets: [1, 1] }), /ascending/);
  assert.throws(() => defineMetric({ ...level, buckets: [1] }), /a gauge has no buckets/);
});

test('Registry.text("slis") writes service level indicators only; sparse metrics appear after their first recording', async () => {
  const well = defineMetric({ ...level, name: "well", sli: true });
  const sparse = defineMetric({ ...level, name: "sparse", sparse: true });
  const { record, text } = createRegistry({ level, well, sparse });
  assert.equal(await text("slis"), "# HELP well [BETA] Level.\n# TYPE well gauge\nwell 0\n");
  assert.doesNotMatch(await text(), /sparse/);
  record.sparse.with({}).set(0);
  assert.match(await text(), /^sparse 0$/m);
});

test("defineMetric() rejects an invalid deprecatedSince", () => {
  for (const deprecatedSince of ["1.34", "v1.34.0", ""]) {
    assert.throws(() => defineMetric({ ...level, deprecatedSince }), /deprecatedSince/);
  }
});

test("Registry.adopt() adds metrics, keeps the values of those that stay, and removes the others", async () => {
  const registry = createRegistry({ level }, { disabled: ["off_total"] });
  const one = defineMetric({ name: "one_total", type: "counter", help: "One.", labels: ["a"], stability: "ALPHA" });
  const off = defineMetric({ ...one, name: "off_total" });
  assert.throws(() => registry.metric(one), /Cannot record the metric "one_total": no plugin in force declares it/);
  registry.adopt([one, off]);
  assert.deepEqual(registry.standing.map(({ definition: { name }, state }) => `${name} ${state}`), [
    "level shown",
    "one_total shown",
    "off_total disabled",
  ]);
  registry.metric(one).with({ a: "x" }).add();
  registry.metric(off).with({ a: "x" }).add();
  const values = async () => (await registry.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(await values(), ["level 0", 'one_total{a="x"} 1']);
  registry.adopt([defineMetric({ ...one })]);
  registry.metric(one).with({ a: "x" }).add();
  assert.deepEqual(await values(), ["level 0", 'one_total{a="x"} 2']);
  registry.adopt([]);
  registry.metric(one).with({ a: "x" }).add();
  assert.deepEqual(await values(), ["level 0"]);
  registry.adopt([defineMetric({ ...one, help: "Another." })]);
  assert.deepEqual(await values(), ["level 0"], "another definition begins without values");
});

test("restart() counts from zero, serves series from their next recording on, and keeps states", async () => {
  const plain = defineMetric({ name: "plain_total", type: "counter", help: "Plain.", labels: [], stability: "ALPHA" });
  const set = defineMetric({ name: "set", type: "gauge", help: "Set.", labels: ["verb"], stability: "ALPHA" });
  const counted = defineMetric({ name: "counted", type: "gauge", help: "Counted.", labels: ["verb"], stability: "ALPHA" });
  const alone = defineMetric({ ...seconds, name: "alone", labels: [] });
  const { record, text, restart } = createRegistry({ requests, level, seconds, plain, set, counted, alone });
  const get = { verb: "GET" }, list = { verb: "LIST" }, kept = record.requests.with({ verb: "GET", code: "200" });
  const recordAll = () => {
    kept.add(3);
    record.seconds.with(get).observe(0.5);
    record.set.with(get).set(4);
  };
  recordAll();
  record.requests.with({ verb: "LIST", code: "200" }).add();
  record.plain.with({}).add(5);
  record.level.with({}).set(6);
  record.counted.with(list).add(7);
  record.alone.with({}).observe(2);
  const samples = async () => (await text()).split("\n").filter((line) => line !== "" && !/^#|_bucket|_sum/.test(line));
  const states = ["alone_count 1", 'counted{verb="LIST"} 7', "level 6"];
  restart();
  assert.deepEqual(await samples(), [...states, "plain_total 0"]);
  recordAll();
  assert.deepEqual(await samples(), [
    ...states,
    "plain_total 0",
    'requests_total{verb="GET",code="200"} 3',
    'seconds_count{verb="GET"} 1',
    'set{verb="GET"} 4',
  ]);
});

test("restart() of the service level indicators leaves the others", async () => {
  const checks = defineMetric({ ...requests, name: "checks_total", sli: true });
  const { record, text, restart } = createRegistry({ requests, checks });
  const labels = { verb: "GET", code: "200" };
  record.requests.with(labels).add();
  record.checks.with(labels).add();
  restart("slis");
  assert.doesNotMatch(await text(), /checks_total/);
  assert.match(await text(), /requests_total\{/);
});
