// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeRequestContext } from "../../core/test-context.ts";
import { hookContext } from "./test-context.ts";
import { podTopologyLabels, topologyLabelsGate } from "./topology-admission.ts";

const zone = "topology.kubernetes.io/zone", region = "topology.kubernetes.io/region";
const stored: any = { metadata: { name: "n", labels: { [zone]: "z", [region]: "r", other: "o" } } }; // `any`: a part of a node
const read = { get: (...[, , , name]: string[]) => Promise.resolve(name === "n" ? stored : undefined) };
const on = fakeRequestContext(hookContext({ on: [topologyLabelsGate] }), { read });
const pod = (nodeName?: string): any => ({ metadata: { name: "p", labels: { a: "b", [zone]: "mine" } }, spec: { nodeName } }); // `any`: a part of a pod

test("a new pod on a node, and a binding to one, get its zone and region", async () => {
  const labels = { a: "b", [zone]: "z", [region]: "r" };
  assert.deepEqual((await podTopologyLabels.mutate!(pod("n"), undefined, on)).metadata.labels, labels);
  const binding = (target: object) => podTopologyLabels.mutateAction!({ metadata: {}, target }, "binding", on);
  assert.deepEqual((await binding({ kind: "Node", name: "n" })).metadata.labels, { [zone]: "z", [region]: "r" });
  assert.deepEqual(await binding({ kind: "Other", name: "n" }), { metadata: {}, target: { kind: "Other", name: "n" } });
});

test("pods without a node, with a missing one, at updates and while the gate is off keep their labels", async () => {
  for (const each of [pod(), pod("none")]) assert.equal(await podTopologyLabels.mutate!(each, undefined, on), each);
  const bound = pod("n");
  assert.equal(await podTopologyLabels.mutate!(bound, bound, on), bound);
  assert.equal(await podTopologyLabels.mutate!(bound, undefined, fakeRequestContext(hookContext(), { read })), bound);
});
