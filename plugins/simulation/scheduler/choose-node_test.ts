// Where pods are placed, and why not.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod, World } from "../world/world.ts";
import type { Budget } from "./budget-check.ts";
import { candidateOf } from "./candidate.ts";
import { chooseNode, refusalText } from "./choose-node.ts";
import { ClusterRoom } from "./cluster-room.ts";
import { planPreemption } from "./preemption.ts";

const node = (name: string, spec: object = {}, labels: object = {}) =>
  ({
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: { allocatable: { cpu: "1", memory: "1Gi", pods: "3" } },
  }) as unknown as Node;
const pod = (name: string, spec: object = {}, labels: object = {}) =>
  ({
    metadata: { name, namespace: "a", uid: name, labels },
    spec: { containers: [{ name: "c", ...("cpu" in spec ? { resources: { requests: { cpu: spec.cpu } } } : {}) }], ...spec },
    status: {},
  }) as unknown as Pod;

/** The name of the chosen node, or which pods leave which node, or the message. */
function place(nodes: readonly Node[], placed: readonly (readonly [Pod, string])[], wanted: Pod, budgets: readonly Budget[] = []): string {
  const store = (items: readonly object[]) => ({ all: () => items, listen() {} });
  const cluster = new ClusterRoom({ nodes: store(nodes), pods: store([]) } as unknown as World);
  for (const [each, on] of placed) cluster.place(each, on);
  const candidate = candidateOf(wanted, cluster, () => ({})), choice = chooseNode(candidate, cluster);
  if ("node" in choice) return choice.node.metadata.name!;
  const made = planPreemption(candidate, cluster, choice.refusals, budgets);
  return "plan" in made
    ? `${made.plan.room.node!.metadata.name} without ${made.plan.victims.map(({ metadata }) => metadata.name).join()}`
    : refusalText(choice.refusals, made.why);
}
const refused = (total: number, reasons: string, preemption: string) =>
  `0/${total} nodes are available: ${reasons}. no new claims to deallocate, preemption: 0/${total} nodes are available: ${preemption}.`;
const noVictims = "No preemption victims found for incoming pod", notHelpful = "Preemption is not helpful for scheduling";

test("chooseNode() takes the node with the most room, and the first of equal ones", () => {
  const nodes = [node("b"), node("a")];
  assert.equal(place(nodes, [], pod("p")), "a");
  assert.equal(place(nodes, [[pod("q", { cpu: "500m" }), "a"]], pod("p")), "b");
});

test("chooseNode() counts resources, the number of pods and host ports", () => {
  const full = pod("q", { cpu: "900m" });
  assert.equal(place([node("a")], [[full, "a"]], pod("p", { cpu: "200m" })), refused(1, "1 Insufficient cpu", `1 ${noVictims}`));
  const three = ["x", "y", "z"].map((name) => [pod(name), "a"] as const);
  assert.equal(place([node("a")], three, pod("p")), refused(1, "1 Too many pods", `1 ${noVictims}`));
  const port = (name: string, hostIP?: string) =>
    pod(name, { containers: [{ name: "c", ports: [{ hostPort: 80, protocol: "TCP", hostIP }] }] });
  const taken = [[port("q", "10.0.0.1"), "a"]] as const;
  assert.equal(
    place([node("a")], taken, port("p")),
    refused(1, "1 node(s) didn't have free ports for the requested pod ports", `1 ${noVictims}`),
  );
  assert.equal(place([node("a")], taken, port("p", "10.0.0.2")), "a");
  const ended = { ...full, status: { phase: "Succeeded" } } as unknown as Pod;
  assert.equal(place([node("a")], [[ended, "a"]], pod("p", { cpu: "200m" })), "a");
});

test("chooseNode() respects taints, cordons, selectors and affinity to nodes", () => {
  const nodes = [
    node("a", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] }),
    node("b", { unschedulable: true }),
    node("c", {}, { disk: "ssd" }),
  ];
  assert.equal(place(nodes, [], pod("p")), "c");
  assert.equal(
    place(nodes, [], pod("p", { nodeSelector: { disk: "hdd" } })),
    refused(
      3,
      "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable",
      `3 ${notHelpful}`,
    ),
  );
  const required = (operator: string, values?: readonly string[]) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator, values }] }] },
      },
    },
  });
  assert.equal(place(nodes, [], pod("p", required("In", ["ssd"]))), "c");
  assert.match(place(nodes, [], pod("p", required("DoesNotExist"))), /didn't match Pod's node affinity/);
  const tolerating = { tolerations: [{ key: "k", operator: "Exists" }], nodeSelector: { "kubernetes.io/hostname": "a" } };
  assert.equal(place(nodes, [], pod("p", tolerating)), "a");
  const preferred = {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{
          weight: 1,
          preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] },
        }],
      },
    },
  };
  assert.equal(place([node("a"), node("c", {}, { disk: "ssd" })], [], pod("p", preferred)), "c");
});

const term = { labelSelector: { matchLabels: { app: "x" } }, topologyKey: "kubernetes.io/hostname" };
const near = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
const far = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };

test("chooseNode() respects affinity and anti-affinity to pods, in both directions", () => {
  const nodes = [node("a"), node("b")], x = { app: "x" };
  assert.equal(place(nodes, [[pod("q", {}, x), "b"]], pod("p", near)), "b");
  assert.equal(place(nodes, [], pod("p", near)), refused(2, "2 node(s) didn't match pod affinity rules", `2 ${notHelpful}`));
  assert.equal(place(nodes, [], pod("p", near, x)), "a");
  assert.equal(place(nodes, [[pod("q", {}, x), "a"]], pod("p", far)), "b");
  assert.equal(place(nodes, [[pod("q", far), "a"]], pod("p", {}, x)), "b");
  assert.equal(
    place([node("a")], [[pod("q", far), "a"]], pod("p", {}, x)),
    refused(1, "1 node(s) didn't satisfy existing pods anti-affinity rules", `1 ${noVictims}`),
  );
});

test("chooseNode() spreads pods over domains", () => {
  const nodes = [node("a", {}, { zone: "1" }), node("b", {}, { zone: "2" }), node("c")], x = { app: "x" };
  const topologySpreadConstraints = [{
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: x },
  }];
  assert.equal(place(nodes, [[pod("q", {}, x), "a"]], pod("p", { topologySpreadConstraints }, x)), "b");
  assert.match(
    place(
      [nodes[0]!, nodes[2]!],
      [[pod("q", {}, x), "a"]],
      pod("p", { topologySpreadConstraints: [{ ...topologySpreadConstraints[0], minDomains: 2 }] }, x),
    ),
    /1 node\(s\) didn't match pod topology spread constraints, 1 node\(s\) didn't match pod topology spread constraints \(missing required label\)/,
  );
});

test("refusalText() without nodes", () => assert.equal(refusalText([], ""), "no nodes available to schedule pods"));
