import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry, defineMetric, parseAllowedLabels } from "./mod.ts";

const requests = defineMetric({ name: "requests_total", type: "counter", help: "Requests.", labels: ["verb", "code"], stability: "ALPHA" });

test("parseAllowedLabels() parses pairs of metric and label, and rejects other keys", () => {
  const allowed = parseAllowedLabels([["a:b,c", "1, 2"], ["a:b,d", ""]])!;
  assert.deepEqual([...allowed.get("a:b")!.get("c")!], ["1", "2"]);
  assert.deepEqual([...allowed.get("a:b")!.get("d")!], [""]);
  for (const bad of ["a", "a,", ",b", "a,b,c", "a-b,c", "a,b:c", " a,b"]) assert.equal(parseAllowedLabels([[bad, "1"]]), undefined, bad);
});

test("a label with allowed values records others as unexpected and counts them; a label without a list takes all values", async () => {
  let refused = 0;
  const allowedLabels = parseAllowedLabels([["requests_total,verb", "GET,LIST"], ["other_total,code", "1"]])!;
  const { record, text } = createRegistry({ requests }, { allowedLabels, refused: () => refused++ });
  for (const [verb, code] of [["GET", "200"], ["PUT", "200"], ["PUT", "200"], ["PATCH", "200"], ["LIST", "404"]] as const) {
    record.requests.with({ verb, code }).add();
  }
  assert.deepEqual((await text()).split("\n").slice(2, -1), [
    'requests_total{verb="GET",code="200"} 1',
    'requests_total{verb="unexpected",code="200"} 3',
    'requests_total{verb="LIST",code="404"} 1',
  ]);
  assert.equal(refused, 3);
});
