// Preemption in a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forbiddenError } from "../../../plugin.ts";
import { eventually, openSimulation } from "../test-world.ts";
import { runReconciler } from "../world/reconciler.ts";
import type { World } from "../world/world.ts";
import { noWorkMeter, systemClock } from "../../../toolbox.ts";
import { schedulerReconciler } from "./scheduler.ts";

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

test("a pod that cannot be bound because its namespace ends keeps no other pod from its node", async () => {
  const stop = new AbortController(), bound: string[] = [], pods = new Map<string, any>();
  let refused = 0;
  let listener: (next: any, before: any) => void = () => {};
  const none = { all: () => [], listen() {}, get: () => undefined };
  const node = { metadata: { name: "n" }, spec: {}, status: { allocatable: { pods: "9" } } };
  const causes = [{ reason: "NamespaceTerminating", message: "namespace is being terminated" }];
  const error = forbiddenError({ group: "", name: "pods" }, "a", "namespace is being terminated", causes);
  const api = {
    async create(_version: string, _resource: string, namespace: string, { metadata: { name } }: any) {
      if (namespace === "ending") {
        refused++;
        throw error;
      }
      bound.push(name);
    },
  };
  const world = {
    ...{ namespaces: none, persistentVolumeClaims: none, persistentVolumes: none, podDisruptionBudgets: none },
    nodes: { ...none, all: () => [node] },
    pods: {
      all: () => pods.values(),
      at: (key: string) => pods.get(key),
      // The first listener is that of the room on nodes.
      listen: (each: typeof listener) => listener = each,
    },
    context: { api, events: { record() {} }, logError() {}, work: noWorkMeter },
    clock: systemClock,
    signal: stop.signal,
  } as unknown as World;
  const running = runReconciler(schedulerReconciler(world), world);
  const come = (namespace: string, name: string) => {
    const pod = { metadata: { namespace, name, uid: name, generation: 1 }, spec: { containers: [] }, status: {} };
    pods.set(`${namespace}/${name}`, pod);
    listener(pod, undefined);
  };
  come("ending", "a");
  await eventually(() => assert.equal(refused, 1));
  come("other", "b");
  await eventually(() => assert.deepEqual(bound, ["b"]));
  stop.abort();
  await running;
});
