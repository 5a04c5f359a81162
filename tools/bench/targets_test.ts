import assert from "node:assert/strict";
import { test } from "node:test";
import type { Measured, Rate } from "./measured.ts";
import { goalsOf } from "./targets.ts";

const rate = (cpuMs: number): Rate => ({ requests: 1, failed: 0, perSecond: 1, p50: 1, p99: 1, cpuMs });
const measured = (more: Partial<Measured>): Omit<Measured, "goals"> => ({
  ...{ name: "create", ...rate(0.2), floor: rate(0.02), handler: rate(0.1), peakMiB: 1 },
  ...more,
});

test("goalsOf() compares a write with a bare handler of its runtime, and not with bare puts", () => {
  const goals = goalsOf(measured({ cpuMs: 0.16 }), [], "node");
  assert.deepEqual(goals.map(({ what, value, atMost, met }) => [what, value, atMost, met]), [
    ["CPU ms", 0.16, 0.37, true],
    ["x handler", 1.5999999999999999, 1.6, true],
  ]);
  assert.equal(goalsOf(measured({ cpuMs: 0.16 }), [], "deno").at(-1)?.met, false);
});

test("goalsOf() has the same targets for HTTP/1.1", () => {
  const http1 = measured({ name: "create, HTTP/1.1", protocol: "http1" });
  assert.deepEqual(goalsOf(http1, [], "deno"), goalsOf(measured({}), [], "deno"));
});
