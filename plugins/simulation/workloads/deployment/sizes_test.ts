import assert from "node:assert/strict";
import { test } from "node:test";
import { newSizeOf, sharedSizes, shrunkOldSets, surgeOf, unavailableMaxOf } from "./sizes.ts";
import type { Deployment, ReplicaSet } from "./types.ts";

const deployment = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
  ({
    metadata: {},
    spec: { replicas, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } },
  }) as unknown as Deployment;

const set = (name: string, replicas: number, availableReplicas = replicas, max?: number) =>
  ({
    metadata: {
      name,
      creationTimestamp: `2026-01-0${name.length}T00:00:00Z`,
      ...(max === undefined ? {} : { annotations: { "deployment.kubernetes.io/max-replicas": `${max}` } }),
    },
    spec: { replicas },
    status: { availableReplicas },
  }) as unknown as ReplicaSet;

const shown = (resized: ReturnType<typeof sharedSizes>) => Object.fromEntries(resized.map((each) => [each.set.metadata.name, each.to]));

test("surge is rounded up and what may be unavailable down, but something can always move", () => {
  assert.equal(surgeOf(deployment(5, "25%", "25%")), 2);
  assert.equal(unavailableMaxOf(deployment(5, "25%", "25%")), 1);
  assert.equal(unavailableMaxOf(deployment(3, 0, "10%")), 1);
  assert.equal(unavailableMaxOf(deployment(3, 1, "10%")), 0);
  assert.equal(unavailableMaxOf(deployment(2, 0, 5)), 2);
});

test("a new replica set grows as far as there is room beyond the wanted number", () => {
  const update = deployment(10, 3, 2);
  assert.equal(newSizeOf(update, [set("a", 10)], 0), 3);
  assert.equal(newSizeOf(update, [set("a", 8), set("bb", 3)], 3), 5);
  assert.equal(newSizeOf(update, [set("bb", 9)], 9), 10);
  assert.equal(newSizeOf(update, [set("bb", 12)], 12), 10);
});

test("old replica sets shrink by what is not available first, and keep the wanted pods that may not be missing", () => {
  const update = deployment(10, 2, 2);
  assert.deepEqual(shown(shrunkOldSets(update, [set("a", 10)], undefined)), { a: 8 });
  assert.deepEqual(shown(shrunkOldSets(update, [set("a", 10)], set("bb", 2, 0))), { a: 8 });
  assert.deepEqual(shown(shrunkOldSets(update, [set("a", 8)], set("bb", 4, 0))), {});
  // Eight of the old pods are not available: with them gone the wanted number is kept by nothing that is.
  assert.deepEqual(shown(shrunkOldSets(update, [set("a", 8, 3), set("bb", 2, 2)], set("ccc", 2, 2))), { a: 4 });
});

test("a changed number is shared by size, and what is left over goes to the largest", () => {
  const update = deployment(20, 0, 1);
  assert.deepEqual(shown(sharedSizes(update, [set("a", 5, 5, 10), set("bb", 5, 5, 10)])), { a: 10, bb: 10 });
  assert.deepEqual(shown(sharedSizes(deployment(5, 0, 1), [set("a", 8, 8, 10), set("bb", 2, 2, 10)])), { a: 4, bb: 1 });
  assert.deepEqual(shown(sharedSizes(deployment(0, 0, 1), [set("a", 8, 8, 10), set("bb", 2, 2, 10)])), { a: 0, bb: 0 });
});
