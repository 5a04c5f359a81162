// What a CronJob says about its jobs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";

test("a job that is gone is active no more, and an event says so", async () => {
  await using world = await openSimulation();
  const { api } = world, template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  await api.create("batch/v1", "cronjobs", "default", {
    metadata: { name: "c" },
    spec: { schedule: "* * * * *", suspend: true, jobTemplate: { spec: { template } } },
  });
  const active = [{ apiVersion: "batch/v1", kind: "Job", name: "gone", namespace: "default", uid: "1" }];
  await api.patch("batch/v1", "cronjobs", "default", "c", { merge: { status: { active } } }, { subresource: "status" });
  await eventually(async () => {
    const { items } = await api.list("v1", "events", "default", { fieldSelector: "involvedObject.name=c,reason=MissingJob" });
    assert.deepEqual((items as any[]).map(({ message }) => message), ["Active job went missing: gone"]);
  });
  await eventually(async () => assert.equal((await api.get("batch/v1", "cronjobs", "default", "c") as any).status.active, undefined));
});
