import assert from "node:assert/strict";
import { test } from "node:test";
import { PolicyRuns } from "./reinvocation.ts";

const object = (n: string) => ({ kind: "", apiVersion: "", metadata: { name: "a", labels: { n } } });

test("policies that ran before a change are due in the second run", () => {
  const runs = new PolicyRuns();
  runs.begin(false, object("1"));
  runs.ran("a");
  runs.changed(); // by b
  runs.ran("c");
  runs.end(object("2"));
  runs.begin(true, object("2"));
  assert.deepEqual([runs.isDue("a"), runs.isDue("b"), runs.isDue("c")], [true, false, false]);
});

test("a change by another step makes all policies due that have run", () => {
  const runs = new PolicyRuns();
  runs.begin(false, object("1"));
  runs.ran("a");
  runs.end(object("2"));
  runs.begin(true, object("3"));
  assert.equal(runs.isDue("a"), true);
});
