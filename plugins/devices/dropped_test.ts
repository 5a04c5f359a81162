// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dropFromSpec, dropFromStatus } from "./claim-gates.ts";
import { deviceClasses } from "./device-class.ts";
import { gates } from "./gates.ts";
import { hookContext, metadata } from "./test-context.ts";

const all = Object.values(gates);
const others = (off: string) => hookContext(all.filter((gate) => gate !== off)).gates;

const exactly = (rest: object): any => ({ name: "a", exactly: { deviceClassName: "c", ...rest } }); // `any`: parts of claims
const spec = (request: object, constraints?: readonly object[]): any => ({
  devices: { requests: [request], ...(constraints === undefined ? {} : { constraints }) },
});
const capacity = { requests: { memory: "1Gi" } };

test("fields of a claim's spec are dropped while their gate is off, unless the stored claim uses the feature", () => {
  const plain = spec(exactly({}));
  for (
    const [gate, full, dropped] of [
      [gates.adminAccess, spec(exactly({ adminAccess: true })), plain],
      [gates.taints, spec(exactly({ tolerations: [{ operator: "Exists" }] })), plain],
      [gates.consumableCapacity, spec(exactly({ capacity })), plain],
      [gates.consumableCapacity, spec(exactly({}), [{ distinctAttribute: "a/b" }]), spec(exactly({}), [{}])],
      [
        gates.prioritizedList,
        spec({ name: "a", firstAvailable: [{ name: "x", deviceClassName: "c" }] }),
        spec({ name: "a" }),
      ],
      [
        gates.taints,
        spec({ name: "a", firstAvailable: [{ name: "x", tolerations: [{ operator: "Exists" }] }] }),
        spec({ name: "a", firstAvailable: [{ name: "x" }] }),
      ],
    ] as const
  ) {
    assert.deepEqual(dropFromSpec(full, undefined, others(gate)), dropped, gate);
    assert.deepEqual(dropFromSpec(full, plain, others(gate)), dropped, gate);
    assert.deepEqual(dropFromSpec(full, full, others(gate)), full, gate);
    assert.deepEqual(dropFromSpec(full, undefined, hookContext(all).gates), full, gate);
  }
});

test("a claim without requests keeps none, and its constraints are dropped from, too", () => {
  const of = (...constraints: readonly object[]): any => ({ devices: { requests: null, constraints } }); // `any`: a part of a claim
  assert.deepEqual(dropFromSpec(of({ distinctAttribute: "a/b" }), undefined, hookContext().gates), of({}));
});

test("fields of a claim's status are dropped while their gate is off, unless the stored claim uses the feature", () => {
  const result = { request: "a", driver: "d", pool: "p", device: "x" };
  const of = (rest: object, devices?: readonly object[]): any => ({
    spec: spec(exactly({})),
    status: { allocation: { devices: { results: [{ ...result, ...rest }] } }, ...(devices === undefined ? {} : { devices }) },
  });
  const plain = of({}), device = { driver: "d", pool: "p", device: "x" };
  for (
    const [gate, full] of [
      [gates.adminAccess, of({ adminAccess: true })],
      [gates.consumableCapacity, of({ shareID: "s", consumedCapacity: { memory: "1" } })],
      [gates.bindingConditions, of({ bindingConditions: ["a"], bindingFailureConditions: ["b"] })],
      [gates.deviceStatus, of({}, [device])],
    ] as const
  ) {
    assert.deepEqual(dropFromStatus(full, plain, others(gate)), plain.status, gate);
    assert.deepEqual(dropFromStatus(full, full, others(gate)), full.status, gate);
    assert.deepEqual(dropFromStatus(full, plain, hookContext(all).gates), full.status, gate);
  }
});

test("the statuses of devices go with their allocation", () => {
  const result = { request: "a", driver: "d", pool: "p", device: "x" };
  const before: any = { // `any`: a part of a claim
    spec: spec(exactly({})),
    status: { allocation: { devices: { results: [result] } }, devices: [{ driver: "d", pool: "p", device: "x" }] },
  };
  const { allocation: _, ...rest } = before.status;
  assert.deepEqual(dropFromStatus({ ...before, status: rest }, before, hookContext(all).gates), {});
  assert.deepEqual(dropFromStatus(before, before, hookContext(all).gates), before.status);
});

test("the extended resource of a class is dropped while its gate is off", () => {
  const of = (spec: object): any => ({ metadata, spec }); // `any`: a part of a class
  const full = of({ extendedResourceName: "example.com/a" }), off = hookContext(), on = hookContext([gates.extendedResource]);
  assert.deepEqual(deviceClasses.prepare?.(full, undefined, off), of({}));
  assert.equal(deviceClasses.prepare?.(full, full, off), full);
  assert.equal(deviceClasses.prepare?.(full, undefined, on), full);
});
