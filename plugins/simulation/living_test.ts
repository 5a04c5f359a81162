// Nodes and pods that live in a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { eventually, openSimulation } from "./test-world.ts";

const fate = (name: string) => `simulation.thole.dev/${name}`;
const isReady = (
  { status }: { readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] } },
) => status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

test("a pod gets a node and runs there; the node is complete", async () => {
  await using world = await openSimulation({ "simulate-nodes": 2 });
  await world.createPod("one");
  const { spec, status } = await world.podWhen("one", isReady);
  assert.deepEqual([spec.nodeName, status.phase, status.podIP], ["simulated-0", "Running", "10.128.0.1"]);
  const node = await world.node("simulated-1");
  assert.deepEqual([node.spec.podCIDR, node.spec.taints, isReady(node)], ["10.128.64.0/18", undefined, true]);
  assert.equal(node.metadata.labels?.["kubernetes.io/hostname"], "simulated-1");
  const lease = await eventually(() => world.api.get("coordination.k8s.io/v1", "leases", "kube-node-lease", "simulated-1"));
  assert.equal(lease.metadata.ownerReferences?.[0]?.kind, "Node");
});

test("a node that a client creates lives, too; a pod that fits nowhere is placed when it can be", async () => {
  await using world = await openSimulation({ "simulate-nodes": 0 });
  await world.createPod("one");
  const refused = await world.podWhen("one", ({ status }) => status.conditions !== undefined);
  assert.equal(refused.status.conditions![0]!.message, "no nodes available to schedule pods");
  await world.api.create("v1", "nodes", "", { metadata: { name: "own" }, status: { capacity: { cpu: "2", pods: "10" } } });
  assert.equal((await world.podWhen("one", isReady)).spec.nodeName, "own");
  assert.equal((await world.node("own")).status.capacity?.["cpu"], "2");
});

test("a pod is deleted after the time that it needs to stop, and its finalizer sees how it ended", async () => {
  await using world = await openSimulation();
  await world.createPod("one", {}, {}, { finalizers: ["example.com/wait"] });
  await world.podWhen("one", isReady);
  await world.api.delete("v1", "pods", "default", "one");
  const { status } = await world.podWhen("one", ({ metadata }) => metadata.deletionGracePeriodSeconds === 0);
  assert.deepEqual([status.phase, status.containerStatuses![0]!.state.terminated?.exitCode], ["Failed", 143]);
  await world.api.patch("v1", "pods", "default", "one", { merge: { metadata: { finalizers: null } } });
  await eventually(() => assert.rejects(() => world.pod("one"), /not found/));
});

test("pods of a node that is unreachable are evicted after their toleration, and stay until it is back", async () => {
  await using world = await openSimulation({ "simulate-nodes": 1 });
  const unreachable = { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 };
  await world.createPod("one", {}, { tolerations: [unreachable] });
  await world.createPod("two");
  await world.podWhen("one", isReady);
  await world.podWhen("two", isReady);
  await world.api.patch("v1", "nodes", "", "simulated-0", { merge: { metadata: { annotations: { [fate("node")]: "unreachable" } } } });
  const gone = await world.podWhen("one", ({ metadata }) => metadata.deletionTimestamp !== undefined);
  assert.equal(gone.status.conditions!.find(({ type }) => type === "DisruptionTarget")?.reason, "DeletionByTaintManager");
  await world.podWhen("two", (pod) => !isReady(pod));
  await world.api.patch("v1", "nodes", "", "simulated-0", { merge: { metadata: { annotations: { [fate("node")]: null } } } });
  await eventually(() => assert.rejects(() => world.pod("one"), /not found/));
  await world.podWhen("two", isReady);
  await eventually(async () => assert.equal((await world.node("simulated-0")).spec.taints, undefined));
});

test("the pod of a Job completes; that of a ReplicaSet with a bad image waits", async () => {
  await using world = await openSimulation();
  await world.api.create("batch/v1", "jobs", "default", {
    metadata: { name: "j" },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  });
  await eventually(async () => {
    const { items } = await world.api.list("v1", "pods", "default", { labelSelector: "job-name=j" });
    assert.deepEqual((items as unknown as readonly { readonly status: { readonly phase: string } }[]).map(({ status }) => status.phase), [
      "Succeeded",
    ]);
  });
  await world.createPod("two", { [fate("waiting")]: "ImagePullBackOff" });
  await world.podWhen("two", ({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === "ImagePullBackOff");
  await eventually(async () => {
    const { items } = await world.api.list("v1", "events", "default", { fieldSelector: "involvedObject.name=two" });
    assert.ok((items as unknown as readonly { readonly reason: string }[]).some(({ reason }) => reason === "BackOff"));
  });
});

test("the log of a simulated pod is one line; nothing else reaches a kubelet", async () => {
  await using world = await openSimulation();
  await world.createPod("one");
  await world.podWhen("one", isReady);
  const ask = async (path: string) => {
    const response = await world.server.handle(new Request(`https://test/api/v1/${path}`));
    return { status: response.status, text: await response.text() };
  };
  assert.deepEqual(await ask("namespaces/default/pods/one/log"), {
    status: 200,
    text: "simulated: container main of pod default/one would run the image app; the pod is Running\n",
  });
  assert.deepEqual(await ask("namespaces/default/pods/one/log?limitBytes=9"), { status: 200, text: "simulated" });
  const { status, text } = await ask("nodes/simulated-0/proxy/metrics");
  assert.deepEqual([status, JSON.parse(text).message], [400, 'the node "simulated-0" is simulated: it runs no containers']);
});

test("the simulation runs whatever controllers are chosen", async () => {
  await using server = await openTestServer({ simulate: true, settings: { controllers: ["-*"] } });
  await eventually(async () => assert.equal((await server.api.list("v1", "nodes", "")).items.length, 1));
});
