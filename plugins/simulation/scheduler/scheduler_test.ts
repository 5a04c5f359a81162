// Preemption in a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSimulation } from "../test-world.ts";

const asking = (cpu: string) => ({ containers: [{ name: "main", image: "app", resources: { requests: { cpu } } }] });

test("a pod of a higher priority takes the place of another, which ends with its grace and says why", async () => {
  await using world = await openSimulation({ "simulate-nodes": 0 });
  await world.api.create("v1", "nodes", "", { metadata: { name: "n" }, status: { capacity: { cpu: "1", pods: "10" } } });
  await world.api.create("scheduling.k8s.io/v1", "priorityclasses", "", { metadata: { name: "high" }, value: 1000 });
  await world.createPod("low", { "simulation.thole.dev/stop-after": "1s" }, asking("800m"), { finalizers: ["example.com/wait"] });
  await world.podWhen("low", ({ status }) => status.phase === "Running");
  await world.createPod("high", {}, { ...asking("500m"), priorityClassName: "high" });
  const leaving = await world.podWhen("low", ({ metadata }) => metadata.deletionTimestamp !== undefined);
  assert.equal(leaving.metadata.deletionGracePeriodSeconds, 30);
  const { reason, message, status } = leaving.status.conditions!.find(({ type }) => type === "DisruptionTarget")!;
  assert.deepEqual([status, reason], ["True", "PreemptionByScheduler"]);
  assert.equal(message, "default-scheduler: preempting to accommodate a higher priority pod");
  const waiting = await world.podWhen("high", ({ status }) => status.nominatedNodeName !== undefined);
  assert.equal(waiting.status.nominatedNodeName, "n");
  await world.createPod("other", {}, asking("600m"));
  assert.equal((await world.podWhen("high", ({ status }) => status.phase === "Running")).spec.nodeName, "n");
  assert.equal((await world.pod("other")).spec.nodeName, undefined);
  await eventually(async () => {
    const { items } = await world.api.list("v1", "events", "default", { fieldSelector: "involvedObject.name=low,reason=Preempted" });
    assert.equal(items.length, 1);
  });
});
