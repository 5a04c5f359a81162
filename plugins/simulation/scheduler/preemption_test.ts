// Which pods make room for others.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod, World } from "../world/world.ts";
import type { Budget } from "./budget-check.ts";
import { candidateOf } from "./candidate.ts";
import { chooseNode } from "./choose-node.ts";
import { ClusterRoom } from "./cluster-room.ts";
import { planPreemption } from "./preemption.ts";

const node = (name: string, spec: object = {}) =>
  ({ metadata: { name, labels: { host: name } }, spec, status: { allocatable: { cpu: "1", pods: "10" } } }) as unknown as Node;
const x = { app: "x" };
const pod = (name: string, priority: number, cpu: string, more: { spec?: object; status?: object; metadata?: object } = {}) =>
  ({
    metadata: { name, namespace: "a", uid: name, labels: x, ...more.metadata },
    spec: { priority, containers: [{ name: "c", resources: { requests: { cpu } } }], ...more.spec },
    status: { startTime: "2026-01-01T00:00:00Z", ...more.status },
  }) as unknown as Pod;
const budget = (disruptionsAllowed: number, matchLabels: object = x) =>
  ({ metadata: { name: "b", namespace: "a" }, spec: { selector: { matchLabels } }, status: { disruptionsAllowed } }) as unknown as Budget;

interface Case {
  readonly nodes?: readonly Node[];
  readonly placed: readonly (readonly [Pod, string])[];
  readonly nominated?: readonly (readonly [Pod, string])[];
  readonly budgets?: readonly Budget[];
}

/** Where the pod gets, or which pods leave which node for it, or why none does. */
function answer(wanted: Pod, { nodes = [node("n")], placed, nominated = [], budgets = [] }: Case): string {
  const store = (items: readonly object[]) => ({ all: () => items, listen() {} });
  const cluster = new ClusterRoom({ nodes: store(nodes), pods: store([]) } as unknown as World);
  for (const [each, on] of placed) cluster.place(each, on);
  for (const [each, on] of nominated) cluster.nominate(each, on);
  const candidate = candidateOf(wanted, cluster, () => ({})), choice = chooseNode(candidate, cluster);
  if ("node" in choice) return choice.node.metadata.name!;
  const made = planPreemption(candidate, cluster, choice.refusals, budgets);
  const again = planPreemption(candidate, cluster, choice.refusals, budgets);
  assert.deepEqual(
    "plan" in made ? made.plan.victims : made.why,
    "plan" in again ? again.plan.victims : again.why,
    "a plan changes nothing",
  );
  if (!("plan" in made)) return made.why;
  return `${made.plan.room.node!.metadata.name}: ${made.plan.victims.map(({ metadata }) => metadata.name).join()}`;
}
const none = (reasons: string, total = 1) => `0/${total} nodes are available: ${reasons}.`;

test("planPreemption() takes pods of lower priorities only, and no more than it needs", () => {
  const placed = [[pod("low", 1, "300m"), "n"], [pod("lower", 0, "300m"), "n"], [pod("high", 9, "400m"), "n"]] as const;
  assert.equal(answer(pod("p", 5, "300m"), { placed }), "n: lower");
  assert.equal(answer(pod("p", 5, "600m"), { placed }), "n: low,lower");
  assert.equal(answer(pod("p", 5, "700m"), { placed }), none("1 Insufficient cpu"));
  assert.equal(answer(pod("p", 0, "300m"), { placed }), none("1 No preemption victims found for incoming pod"));
  assert.equal(
    answer(pod("p", 5, "300m", { spec: { preemptionPolicy: "Never" } }), { placed }),
    "not eligible due to preemptionPolicy=Never.",
  );
  assert.equal(
    answer(pod("p", 5, "300m", { spec: { nodeSelector: { host: "other" } } }), { placed }),
    none("1 Preemption is not helpful for scheduling"),
  );
});

test("planPreemption() prefers the node that loses the least", () => {
  const nodes = [node("m"), node("n")], wanted = pod("p", 9, "1");
  const on = (m: readonly Pod[], n: readonly Pod[]) => ({
    nodes,
    placed: [...m.map((p) => [p, "m"] as const), ...n.map((p) => [p, "n"] as const)],
  });
  assert.equal(answer(wanted, on([pod("a", 2, "1")], [pod("b", 1, "1")])), "n: b");
  assert.equal(answer(wanted, on([pod("a", 1, "500m"), pod("c", 1, "500m")], [pod("b", 1, "1")])), "n: b");
  const late = { status: { startTime: "2026-02-01T00:00:00Z" } };
  assert.equal(answer(wanted, on([pod("a", 1, "1")], [pod("b", 1, "1", late)])), "n: b");
  const free = { metadata: { labels: { app: "y" } } };
  assert.equal(answer(wanted, { ...on([pod("a", 1, "1")], [pod("b", 2, "1", free)]), budgets: [budget(0)] }), "n: b");
});

test("planPreemption() gives back first what a budget protects, and breaks the budget if nothing else helps", () => {
  const free = { metadata: { labels: { app: "y" } } };
  const placed = [[pod("guarded", 0, "500m"), "n"], [pod("free", 1, "500m", free), "n"]] as const;
  assert.equal(answer(pod("p", 9, "500m"), { placed, budgets: [budget(0)] }), "n: free");
  assert.equal(answer(pod("p", 9, "500m"), { placed, budgets: [budget(1)] }), "n: guarded");
  assert.equal(answer(pod("p", 9, "500m"), { placed, budgets: [budget(0, {})] }), "n: guarded");
  assert.equal(answer(pod("p", 9, "1"), { placed, budgets: [budget(0)] }), "n: free,guarded");
});

test("planPreemption() respects spread and anti-affinity of the pods that stay", () => {
  const topologySpreadConstraints = [{
    maxSkew: 1,
    topologyKey: "host",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: x },
  }];
  const nodes = [node("m"), node("n", { taints: [{ key: "k", effect: "NoSchedule" }] })];
  const placed = [[pod("a", 1, "100m"), "m"], [pod("b", 0, "100m"), "m"]] as const;
  assert.equal(answer(pod("p", 9, "100m", { spec: { topologySpreadConstraints } }), { nodes, placed }), "m: a,b");
  const term = { labelSelector: { matchLabels: x }, topologyKey: "host" };
  const far = { spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } };
  assert.equal(answer(pod("p", 9, "100m", far), { placed: [[pod("a", 1, "100m"), "n"]] }), "n: a");
  assert.equal(answer(pod("p", 9, "100m"), { placed: [[pod("a", 1, "100m", far), "n"]] }), "n: a");
});

test("a pod waits while others leave its nominated node", () => {
  const leaving = {
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
    status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
  };
  const waiting = pod("p", 9, "1", { status: { nominatedNodeName: "n" } });
  assert.equal(
    answer(waiting, { placed: [[pod("a", 1, "1", leaving), "n"]] }),
    "not eligible due to a terminating pod on the nominated node.",
  );
  assert.equal(answer(waiting, { placed: [[pod("a", 1, "1"), "n"]] }), "n: a");
});

test("chooseNode() leaves room for pods that are nominated, unless they are less important", () => {
  const nominated = [[pod("q", 5, "1"), "n"]] as const;
  assert.equal(answer(pod("p", 5, "1"), { placed: [], nominated }), none("1 No preemption victims found for incoming pod"));
  assert.equal(answer(pod("p", 6, "1"), { placed: [], nominated }), "n");
  assert.equal(
    answer(pod("q", 5, "1", { status: { nominatedNodeName: "n" } }), { nodes: [node("m"), node("n")], placed: [], nominated }),
    "n",
  );
});
