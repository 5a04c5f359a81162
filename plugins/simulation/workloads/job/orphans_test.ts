// Pods whose job is gone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../../test-world.ts";

test("a pod that a job does not count any more can be deleted", async () => {
  await using world = await openSimulation();
  const job = { apiVersion: "batch/v1", kind: "Job", name: "gone", uid: "6d5bbd1c-9c1e-4ef7-a6e0-1f6c9c0e8f0a", controller: true };
  const finalizers = ["batch.kubernetes.io/job-tracking", "example.com/other"];
  await world.createPod("one", {}, {}, { ownerReferences: [job], finalizers });
  await world.createPod("two", {}, {}, { finalizers });
  for (const name of ["one", "two"]) {
    await eventually(async () => {
      const { metadata } = await world.pod(name);
      assert.deepEqual(metadata.finalizers, ["example.com/other"]);
    });
  }
});
