// The status of a pod over time, without a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../world/world.ts";
import { podStatus, type Since } from "./pod-status.ts";

const host = { hostIP: "172.24.0.1", podIP: "10.128.0.1" };

/** A pod whose status is computed at given times, in seconds. */
function life(annotations: Readonly<Record<string, string>> = {}, spec: object = {}, metadata: object = {}) {
  const since: Since = new Map();
  let pod = {
    metadata: { name: "a", namespace: "b", uid: "u", generation: 2, annotations, ...metadata },
    spec: { containers: [{ name: "main", image: "app" }], ...spec },
    status: { phase: "Pending" },
  } as unknown as Pod;
  return {
    at(seconds: number) {
      const { status, until } = podStatus(pod, host, since, seconds * 1_000);
      pod = { ...pod, status };
      const { state, restartCount } = status.containerStatuses![0]!;
      const ready = status.conditions!.find(({ type }) => type === "Ready")!;
      return { status, brief: [status.phase, Object.keys(state)[0], restartCount, ready.status], until: until / 1_000 };
    },
    restart: () => since.clear(),
    set: (change: object) => pod = { ...pod, metadata: { ...pod.metadata, annotations: change as Record<string, string> } },
  };
}
const fate = (name: string) => `simulation.thole.dev/${name}`;

test("podStatus(): a pod without annotations is ready at once and for ever, with all that a kubelet reports", () => {
  const { status, brief, until } = life().at(5);
  assert.deepEqual(brief, ["Running", "running", 0, "True"]);
  assert.equal(until, Infinity);
  assert.deepEqual(status.conditions!.map(({ type, status, observedGeneration }) => [type, status, observedGeneration]), [
    ["PodReadyToStartContainers", "True", 2],
    ["Initialized", "True", 2],
    ["Ready", "True", 2],
    ["ContainersReady", "True", 2],
  ]);
  assert.deepEqual([status.podIP, status.hostIP, status.startTime, status.observedGeneration], [
    "10.128.0.1",
    "172.24.0.1",
    "1970-01-01T00:00:05Z",
    2,
  ]);
  assert.deepEqual(status.containerStatuses, [{
    name: "main",
    image: "app",
    imageID: "simulated://app",
    containerID: "simulated://u/main/0",
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: "1970-01-01T00:00:05Z" } },
    lastState: {},
  }]);
});

test("podStatus(): a container starts, becomes ready and ends when its annotations say so", () => {
  const pod = life({ [fate("start-after")]: "2s", [fate("ready-after")]: "3s", [fate("run-for")]: "10s" }, { restartPolicy: "Never" });
  assert.deepEqual([pod.at(0).brief, pod.at(0).until], [["Pending", "waiting", 0, "False"], 2]);
  assert.deepEqual([pod.at(2).brief, pod.at(2).until], [["Running", "running", 0, "False"], 5]);
  assert.deepEqual([pod.at(5).brief, pod.at(5).until], [["Running", "running", 0, "True"], 12]);
  assert.deepEqual([pod.at(12).brief, pod.at(12).until], [["Succeeded", "terminated", 0, "False"], Infinity]);
});

test("podStatus(): a container that fails is restarted at once, then with a growing pause", () => {
  const pod = life({ [fate("exit-code")]: "3", [fate("run-for")]: "1s" });
  pod.at(0);
  assert.deepEqual([pod.at(1).brief, pod.at(1).until], [["Running", "running", 1, "True"], 2]);
  const { status, brief, until } = pod.at(2);
  assert.deepEqual([brief, until], [["Running", "waiting", 1, "False"], 12]);
  const [{ state, lastState }] = status.containerStatuses as [NonNullable<Pod["status"]["containerStatuses"]>[number]];
  assert.equal(state.waiting?.message, "back-off 10s restarting failed container=main pod=a_b(u)");
  assert.equal(lastState.terminated?.exitCode, 3);
  assert.deepEqual([pod.at(12).brief, pod.at(13).brief, pod.at(13).until], [["Running", "running", 2, "True"], [
    "Running",
    "waiting",
    2,
    "False",
  ], 33]);
});

test("podStatus(): the restart policy decides what becomes of a pod that ends", () => {
  for (
    const [policy, code, phase] of [["Never", 0, "Succeeded"], ["Never", 1, "Failed"], ["OnFailure", 0, "Succeeded"], [
      "OnFailure",
      1,
      "Running",
    ]] as const
  ) {
    const pod = life({ [fate("exit-code")]: String(code), [fate("run-for")]: "1s" }, { restartPolicy: policy });
    pod.at(0);
    assert.equal(pod.at(1).status.phase, phase, `${policy} ${code}`);
  }
});

test("podStatus(): init containers run one after the other, and sidecars beside them", () => {
  const initContainers = [{ name: "one", image: "i" }, { name: "side", image: "i", restartPolicy: "Always" }, { name: "two", image: "i" }];
  const pod = life({ [fate("run-for.one")]: "2s", [fate("run-for.two")]: "3s" }, { initContainers });
  const first = pod.at(0).status;
  assert.deepEqual(first.initContainerStatuses!.map(({ state }) => Object.keys(state)[0]), ["running", "waiting", "waiting"]);
  assert.equal(first.conditions!.find(({ type }) => type === "Initialized")!.message, "containers with incomplete status: [one side two]");
  assert.equal(pod.at(2).status.phase, "Pending");
  const last = pod.at(5);
  assert.deepEqual(last.status.initContainerStatuses!.map(({ state }) => Object.keys(state)[0]), ["terminated", "running", "terminated"]);
  assert.deepEqual(last.brief, ["Running", "running", 0, "True"]);
});

test("podStatus(): an init container that runs for ever keeps the pod pending", () => {
  const pod = life({ [fate("run-for.one")]: "never" }, { initContainers: [{ name: "one", image: "i" }] });
  assert.equal(pod.at(0).status.phase, "Pending");
  assert.equal(pod.at(100).status.phase, "Pending");
});

test("podStatus(): without an annotation an init container ends at once, or when it has slept, and a sidecar runs on", () => {
  const side = { name: "side", image: "i", restartPolicy: "Always" };
  const pod = life({}, { initContainers: [{ name: "one", image: "i" }, side, { name: "two", image: "i", command: ["sleep", "2"] }] });
  const states = (seconds: number) => pod.at(seconds).status.initContainerStatuses!.map(({ state }) => Object.keys(state)[0]);
  pod.at(0);
  assert.deepEqual(states(1), ["terminated", "running", "running"]);
  assert.deepEqual(states(4), ["terminated", "running", "terminated"]);
  assert.deepEqual(pod.at(4).brief, ["Running", "running", 0, "True"]);
});

test("podStatus(): images that cannot be pulled, evictions and deadlines", () => {
  const pull = life({ [fate("waiting")]: "ImagePullBackOff" });
  assert.deepEqual(pull.at(0).status.containerStatuses![0]!.state, {
    waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "app"' },
  });
  pull.set({});
  assert.deepEqual(pull.at(1).brief, ["Running", "running", 0, "True"]);
  pull.set({ [fate("evict")]: "The node was low on resource: memory." });
  const { phase, reason, message } = pull.at(2).status;
  assert.deepEqual([phase, reason, message], ["Failed", "Evicted", "The node was low on resource: memory."]);
  const late = life({}, { activeDeadlineSeconds: 3 });
  assert.equal(late.at(1).until, 4);
  assert.deepEqual([late.at(4).status.phase, late.at(4).status.reason], ["Failed", "DeadlineExceeded"]);
});

test("podStatus(): a readiness gate whose condition is missing keeps a pod from being ready", () => {
  const { status } = life({}, { readinessGates: [{ conditionType: "example.com/up" }] }).at(0);
  assert.deepEqual(status.conditions!.filter(({ type }) => type.endsWith("Ready")).map(({ status, reason }) => [status, reason]), [
    ["False", "ReadinessGatesNotReady"],
    ["True", undefined],
  ]);
});

test("podStatus(): the pod of a hook or Job completes when it has slept", () => {
  const containers = [{ name: "main", image: "busybox", command: ["sleep", "30"] }];
  const pod = life({ "helm.sh/hook": "test" }, { restartPolicy: "Never", containers });
  assert.equal(pod.at(0).until, 30);
  assert.deepEqual([pod.at(29.9).status.phase, pod.at(30).status.phase], ["Running", "Succeeded"]);
});

test("podStatus(): the pod of a hook completes by itself, unless it is restarted for ever", () => {
  for (const hook of ["helm.sh/hook", "argocd.argoproj.io/hook"]) {
    for (const [restartPolicy, phase] of [["Never", "Succeeded"], ["OnFailure", "Succeeded"], ["Always", "Running"]]) {
      const pod = life({ [hook]: "test" }, { restartPolicy });
      pod.at(0);
      assert.equal(pod.at(1).status.phase, phase, `${hook} ${restartPolicy}`);
    }
  }
  const failing = life({ "helm.sh/hook": "test", [fate("exit-code")]: "1" }, { restartPolicy: "Never" });
  failing.at(0);
  assert.equal(failing.at(1).status.phase, "Failed");
});

test("podStatus(): a kubelet that begins anew continues from the times of the status", () => {
  const begun = (annotations: Readonly<Record<string, string>>, ...seconds: readonly number[]) => {
    const pod = life(annotations);
    for (const each of seconds) pod.at(each);
    pod.restart();
    return pod;
  };
  assert.equal(begun({ [fate("run-for")]: "10s", [fate("exit-code")]: "1" }, 5).at(8).until, 15);
  assert.equal(begun({ [fate("start-after")]: "10s" }, 5).at(8).until, 15);
  // It ended at 6, was restarted at once, ended at 7, and waits until 17.
  const crashing = begun({ [fate("run-for")]: "1s", [fate("exit-code")]: "1" }, 5, 6, 7);
  assert.deepEqual([crashing.at(8).brief[1], crashing.at(8).until], ["waiting", 17]);
});
