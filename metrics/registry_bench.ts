// Measures the recording cost of one request, and a scrape with many series. Run: `deno run -A metrics/registry_bench.ts`
import { createRegistry, defineMetric } from "./mod.ts";

const labels = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"] as const;
const buckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const { record, text } = createRegistry({
  total: defineMetric({ name: "total", type: "counter", help: "Total.", labels: [...labels, "code"], stability: "STABLE" }),
  duration: defineMetric({ name: "duration", type: "histogram", help: "Duration.", labels, buckets, stability: "STABLE" }),
  sli: defineMetric({ name: "sli", type: "histogram", help: "Duration.", labels, buckets, stability: "ALPHA" }),
});
const rounds = 1_000_000;
const begun = performance.now();
for (let round = 0; round < rounds; round++) {
  const set = {
    verb: "GET",
    dry_run: "",
    group: "storage.k8s.io",
    version: "v1",
    resource: `resource${round % 150}`,
    subresource: "",
    scope: "cluster",
    component: "apiserver",
    code: "200",
  };
  record.total.with(set).add();
  record.duration.with(set).observe(0.003);
  record.sli.with(set).observe(0.003);
}
console.log(`record: ${((performance.now() - begun) * 1000 / rounds).toFixed(2)} µs per request`);
for (let index = 0; index < 1000; index++) {
  const set = {
    verb: "LIST",
    dry_run: "",
    group: "g",
    version: "v1",
    resource: `r${index}`,
    subresource: "",
    scope: "cluster",
    component: "apiserver",
    code: "200",
  };
  record.total.with(set).add();
  record.duration.with(set).observe(0.3);
  record.sli.with(set).observe(0.3);
}
for (let round = 0; round < 3; round++) {
  const start = performance.now();
  const written = await text();
  console.log(`scrape: ${(performance.now() - start).toFixed(0)} ms for ${written.split("\n").length} lines, ${written.length} characters`);
}
