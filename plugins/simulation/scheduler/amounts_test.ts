// What pods ask for.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../world/world.ts";
import { requestsOf } from "./amounts.ts";
import { numberOf } from "../placement/quantity.ts";

const asking = (cpu: string, restartPolicy?: string) => ({ name: "c", resources: { requests: { cpu } }, restartPolicy });
const cpuOf = (spec: object) => requestsOf({ spec } as unknown as Pod).get("cpu");

test("numberOf() reads quantities", () => {
  assert.deepEqual(["100m", "1", "1Ki", "1.5k", "-2", "x"].map(numberOf), [0.1, 1, 1024, 1500, -2, 0]);
});

test("requestsOf() is the larger of what runs and what starts, with the overhead", () => {
  assert.equal(cpuOf({ containers: [asking("100m"), asking("200m")] }), 300);
  assert.equal(cpuOf({ containers: [asking("100m")], initContainers: [asking("1")] }), 1_000);
  assert.equal(cpuOf({ containers: [asking("100m")], initContainers: [asking("50m", "Always"), asking("1")] }), 1_050);
  assert.equal(
    cpuOf({ containers: [asking("100m")], initContainers: [asking("1"), asking("50m", "Always")], overhead: { cpu: "10m" } }),
    1_010,
  );
  assert.equal(cpuOf({ containers: [asking("100m")], resources: { requests: { cpu: "2" } } }), 2_000);
});
