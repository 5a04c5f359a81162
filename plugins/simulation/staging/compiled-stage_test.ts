import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../core/json.ts";
import { compileStage } from "./compiled-stage.ts";
import type { Stage, StageSpec } from "../stages/stage.ts";

const stage = (spec: Partial<StageSpec>): Stage => ({
  ...{ apiVersion: "kwok.x-k8s.io/v1alpha1", kind: "Stage", metadata: { name: "s" } },
  spec: { resourceRef: { kind: "Pod" }, ...spec },
});

const now = Date.parse("2026-01-01T00:00:00Z");
const needs = { now: () => now, random: () => 0.5, failed: (what: string) => assert.fail(what) };
const celOf = (expression: string) => ({ cel: { expression } });

test("compileStage() bounds the requirements and the steps of a stage", () => {
  const selected = (count: number) =>
    stage({ selector: { matchExpressions: Array.from({ length: count }, () => ({ key: ".a", operator: "Exists" })) } });
  assert.equal(compileStage(selected(100), needs).matches({ a: 1 }), true);
  assert.throws(() => compileStage(selected(101), needs), /more than 100 requirements/);
  const stepped = (steps: number, patches: number) =>
    stage({ steps: Array.from({ length: steps }, () => ({ event: {} })), next: { patches: Array.from({ length: patches }, () => ({})) } });
  assert.equal(compileStage(stepped(50, 50), needs).steps.length, 100);
  assert.throws(() => compileStage(stepped(50, 51), needs), /more than 100 steps/);
});

test("compileStage() reads requirements, weights and delays in CEL over the object", () => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", creationTimestamp: "2025-12-31T23:59:50Z", annotations: { after: "3s" } },
    spec: { containers: [{ name: "main", resources: { requests: { cpu: "1500m" } } }] },
    status: { phase: "Pending" },
  };
  const matches = (expression: string) => compileStage(stage({ selector: { matchExpressions: [celOf(expression)] } }), needs).matches(pod);
  assert.equal(matches("self.status.phase == 'Pending' && !has(self.metadata.deletionTimestamp)"), true);
  assert.equal(matches("self.spec.containers.exists(each, each.name == 'other')"), false);
  assert.equal(matches("SinceSecond(self) == 10.0 && self.SinceSecond() == 10.0"), true);
  assert.equal(matches("Now() - self.metadata.creationTimestamp == duration('10s') && Now().UnixSecond() == 1767225600.0"), true);
  assert.equal(matches("self.spec.containers[0].resources.requests['cpu'] > Quantity('1') && Quantity('2') * 2 == Quantity('4')"), true);
  assert.equal(
    matches("Quantity('3') - Quantity('1') <= Quantity('1') + Quantity('1') && 2 * 2 < 5 && !(Quantity('1') / 2 > Quantity('600m'))"),
    true,
  );
  assert.equal(matches("Quantity('1Ei') * 2 > Quantity('2E')"), true);
  assert.throws(() => matches("Quantity('1') / 0 > Quantity('2')"), /the result is no finite quantity/);
  // Go's types: what is absent is empty.
  assert.equal(
    matches("self.spec.nodeName == '' && !self.spec.hostNetwork && self.status.reason == '' && size(self.status.conditions) == 0"),
    true,
  );
  assert.equal(matches("self.spec.securityContext == null && self.spec.containers[0].resources.limits['memory'] == Quantity('0')"), true);
  assert.equal(matches("has(self.status.phase) && !has(self.status.reason) && !('a' in self.metadata.labels)"), true);
  const numbers = (weight: string, duration: string) => {
    const compiled = compileStage(
      stage({ weightFrom: celOf(weight), delay: { durationFrom: celOf(duration), durationMilliseconds: 7 } }),
      needs,
    );
    return [compiled.weight(pod), compiled.delayMs(pod, now, 0)];
  };
  assert.deepEqual(numbers("size(self.spec.containers) * 5", "self.metadata.annotations['after']"), [5, 3_000]);
  assert.deepEqual(numbers("Rand() * 10.0", "duration('1m') - duration('1s')"), [5, 59_000]);
  assert.deepEqual(numbers("true", "2000000"), [1, 2]);
});

test("compileStage() refuses CEL that does not compile, and reports that which fails or costs too much", () => {
  const selected = (expression: string, failed: (what: string) => void) =>
    compileStage(stage({ selector: { matchExpressions: [celOf(expression)] }, weightFrom: celOf(expression) }), { ...needs, failed });
  assert.throws(() => selected("self.", assert.fail), /its CEL does not compile: .*Syntax error/s);
  assert.throws(() => selected("nothing", assert.fail), /undeclared reference to 'nothing'/);
  const outcomeOf = (expression: string, object: Json) => {
    const told: string[] = [], compiled = selected(expression, (what) => told.push(what));
    return [compiled.matches(object), compiled.weight(object), ...new Set(told)];
  };
  assert.deepEqual(outcomeOf("self.absent == 1", {}), [false, undefined, "its CEL fails: no such key: absent"]);
  assert.deepEqual(outcomeOf("'text'", {}), [false, undefined, "its CEL gives string, not bool", "its CEL gives string, not a number"]);
  assert.deepEqual(outcomeOf("self.spec.other == 1", { apiVersion: "v1", kind: "Pod", spec: {} }).slice(2), [
    "its CEL fails: no such field 'other'",
  ]);
  assert.deepEqual(outcomeOf(`Quantity('${"1".repeat(101)}') > Quantity('1')`, {}).slice(2), [
    "its CEL fails: a quantity has at most 100 characters",
  ]);
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  assert.deepEqual(outcomeOf("self.items.all(a, self.items.all(b, a + b >= 0))", { items }), [
    false,
    undefined,
    "its CEL fails: operation cancelled: actual cost limit exceeded",
  ]);
});

test("compileStage() refuses operators of jq without their values, or with values that they do not take", () => {
  const compiled = (operator: string, values: readonly string[]) =>
    compileStage(stage({ selector: { matchExpressions: [{ jq: { key: ".a", operator, values } }] } }), needs);
  assert.throws(() => compiled("In", []), /the operator In needs values/);
  assert.throws(() => compiled("Exists", ["x"]), /the operator Exists takes no values/);
  assert.equal(compiled("NotIn", ["x"]).matches({ a: "y" }), true);
});
