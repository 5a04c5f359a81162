import assert from "node:assert/strict";
import { test } from "node:test";
import { compileStage } from "./compiled-stage.ts";
import type { Stage, StageSpec } from "../stages/stage.ts";

const stage = (spec: Partial<StageSpec>): Stage => ({
  ...{ apiVersion: "kwok.x-k8s.io/v1alpha1", kind: "Stage", metadata: { name: "s" } },
  spec: { resourceRef: { kind: "Pod" }, ...spec },
});

test("compileStage() bounds the requirements and the steps of a stage", () => {
  const selected = (count: number) =>
    stage({ selector: { matchExpressions: Array.from({ length: count }, () => ({ key: ".a", operator: "Exists" })) } });
  assert.equal(compileStage(selected(100)).matches({ a: 1 }), true);
  assert.throws(() => compileStage(selected(101)), /more than 100 requirements/);
  const stepped = (steps: number, patches: number) =>
    stage({ steps: Array.from({ length: steps }, () => ({ event: {} })), next: { patches: Array.from({ length: patches }, () => ({})) } });
  assert.equal(compileStage(stepped(50, 50)).steps.length, 100);
  assert.throws(() => compileStage(stepped(50, 51)), /more than 100 steps/);
});
