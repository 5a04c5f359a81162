import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../core/test-clock.ts";
import type { ApiObject } from "../../../plugin.ts";
import type { ClusterAddresses } from "../nodes/cluster-addresses.ts";
import type { Stage } from "../stages/stage.ts";
import type { World } from "../world/world.ts";
import { compileStage } from "./compiled-stage.ts";
import { stagedPods, stageReconciler } from "./runner.ts";
import type { StageBook } from "./stage-book.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const podOf = (name: string, second: number) =>
  ({
    metadata: { name, namespace: "default", uid: name, creationTimestamp: new Date(start + second * 1_000).toISOString() },
    spec: { nodeName: "node" },
    status: {},
  }) as unknown as ApiObject;

test("stageReconciler() continues the stages of objects that were there at its start; those of later ones begin when they are seen", async () => {
  const pods = new Map([["default/old", podOf("old", -40)]]), clock = manualClock(start);
  const stage = {
    metadata: { name: "slow" },
    spec: { resourceRef: { kind: "Pod" }, selector: { matchLabels: {} }, delay: { durationMilliseconds: 60_000 }, next: {} },
  };
  const stages = [compileStage(stage as unknown as Stage, { now: clock.now, random: () => 0, failed() {} })];
  // `as`: the members that the reconciler uses here.
  const store = { all: () => pods.values(), at: (key: string) => pods.get(key), listen() {} };
  const world = { pods: store, nodes: { get: () => ({}) }, clock, random: () => 0 } as unknown as World;
  const book = { of: () => stages, listen() {}, report() {} } as unknown as StageBook;
  const reconciler = stageReconciler(stagedPods(world), world, book, {} as ClusterAddresses);
  reconciler.follow(world, () => {});
  pods.set("default/new", podOf("new", -40));
  assert.equal(await reconciler.reconcile(world, "default/old"), 20_000);
  assert.equal(await reconciler.reconcile(world, "default/new"), 60_000);
});
