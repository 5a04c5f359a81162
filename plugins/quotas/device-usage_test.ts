// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { objectOf } from "./test-quota.ts";
import { usageOf } from "./usage.ts";

const usage = usageOf("resource.k8s.io", "resourceclaims", { names: defaultNames, gates: () => false, seconds: () => 0 })!;
const ask = (deviceClassName: string, count?: number) => ({
  deviceClassName,
  ...(count === undefined ? { allocationMode: "All" } : { allocationMode: "ExactCount", count }),
});

test("a claim uses the devices that it asks for, by class; of alternatives the one with most devices counts", () => {
  const requests = [
    { exactly: ask("a", 2) },
    { firstAvailable: [ask("a", 3), ask("b", 1), ask("a", 5)] },
    { firstAvailable: [ask("b")] },
    { exactly: { ...ask("c", 7), allocationMode: "Later" } },
    {},
  ];
  assert.deepEqual(usage.of(objectOf("x", { spec: { devices: { requests } } })), {
    "count/resourceclaims.resource.k8s.io": "1",
    "a.deviceclass.resource.k8s.io/devices": "7",
    "b.deviceclass.resource.k8s.io/devices": "33",
    "c.deviceclass.resource.k8s.io/devices": "0",
  });
  assert.deepEqual(usage.of(objectOf("x", { spec: {} })), { "count/resourceclaims.resource.k8s.io": "1" });
});

test("quotas of claims are those of their number and of device classes", () => {
  const names = ["count/resourceclaims.resource.k8s.io", "a.deviceclass.resource.k8s.io/devices", "pods", "requests.cpu"];
  assert.deepEqual(usage.matching(names), names.slice(0, 2));
  assert.deepEqual([usage.charges(true, ""), usage.charges(false, ""), usage.charges(false, "status")], [true, true, false]);
});
