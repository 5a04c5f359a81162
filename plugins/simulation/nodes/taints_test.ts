// Taints of nodes, and the tolerations of pods.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "../world/world.ts";
import { type Taint, tolerates } from "../placement/taints.ts";
import { evictedAt, wantedTaints } from "./taints.ts";

const node = (ready: string | undefined, taints: readonly object[] = [], spec: object = {}) =>
  ({
    metadata: { name: "a" },
    spec: { taints, ...spec },
    status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] },
  }) as unknown as Node;
const timeAdded = "1970-01-01T00:00:10Z";
const notReady = { key: "node.kubernetes.io/not-ready" }, unreachable = { key: "node.kubernetes.io/unreachable" };

test("wantedTaints() follows the state of the node and leaves other taints alone", () => {
  const other = { key: "own", effect: "NoSchedule" };
  assert.equal(wantedTaints(node("True", [other]), 10_000), undefined);
  assert.deepEqual(wantedTaints(node("True", [other, { ...notReady, effect: "NoSchedule" }]), 10_000), [other]);
  assert.deepEqual(wantedTaints(node("False", [other]), 10_000), [
    other,
    { ...notReady, effect: "NoSchedule", timeAdded },
    { ...notReady, effect: "NoExecute", timeAdded },
  ]);
  const unknown = wantedTaints(node("Unknown", [{ ...notReady, effect: "NoExecute" }]), 10_000);
  assert.deepEqual(unknown?.map(({ key, effect }) => [key, effect]), [[unreachable.key, "NoSchedule"], [unreachable.key, "NoExecute"]]);
  assert.deepEqual(wantedTaints(node("True", [], { unschedulable: true }), 10_000), [
    { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule", timeAdded },
  ]);
});

test("tolerates() compares keys, values, effects and numbers", () => {
  const taint: Taint = { key: "a", value: "5", effect: "NoExecute" };
  for (
    const [toleration, expected] of [
      [{ operator: "Exists" }, true],
      [{ key: "a", operator: "Exists" }, true],
      [{ key: "b", operator: "Exists" }, false],
      [{ key: "a", value: "5" }, true],
      [{ key: "a", value: "6" }, false],
      [{ key: "a", operator: "Exists", effect: "NoSchedule" }, false],
      [{ key: "a", operator: "Gt", value: "4" }, true],
      [{ key: "a", operator: "Lt", value: "4" }, false],
    ] as const
  ) assert.equal(tolerates(toleration, taint), expected, JSON.stringify(toleration));
});

test("evictedAt() is now without a toleration, and after the shortest toleration with some", () => {
  const taint: Taint = { key: "a", effect: "NoExecute", timeAdded };
  const pod = (tolerations: readonly object[]) => ({ spec: { tolerations } }) as unknown as Pod;
  assert.equal(evictedAt(pod([]), [taint], 20_000), 0);
  assert.equal(evictedAt(pod([{ operator: "Exists" }]), [taint], 20_000), undefined);
  assert.equal(
    evictedAt(pod([{ operator: "Exists", tolerationSeconds: 30 }, { key: "a", operator: "Exists", tolerationSeconds: 5 }]), [taint], 0),
    15_000,
  );
  assert.equal(evictedAt(pod([]), [{ ...taint, effect: "NoSchedule" }], 20_000), undefined);
});
