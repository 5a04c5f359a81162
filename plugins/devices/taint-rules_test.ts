// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionsMax } from "./bounds.ts";
import { deviceTaintRules } from "./device-taint-rule.ts";
import { hookContext, metadata, texts } from "./test-context.ts";

const rule = (spec: object, status: object = {}): any => ({
  metadata,
  spec: { taint: { key: "k", effect: "NoExecute" }, ...spec },
  status,
}); // `any`: also wrong rules
const context = hookContext();

test("each field of a taint rule is checked", () => {
  for (
    const [spec, ...errors] of [
      [{ deviceSelector: { driver: "d", pool: "p/q", device: "x" } }],
      [
        { deviceSelector: { driver: "", pool: "" } },
        "spec.deviceSelector.driver: Required value",
        "spec.deviceSelector.pool: Required value",
      ],
      [{ taint: { key: "k", effect: "" } }, "spec.taint.effect: Required value"],
      [
        { taint: { key: "k", effect: "x" } },
        'spec.taint.effect: Unsupported value: "x": supported values: "NoExecute", "NoSchedule", "None"',
      ],
    ] as const
  ) assert.deepEqual(texts(deviceTaintRules.create?.(rule(spec), context)), errors, JSON.stringify(spec));
});

test("a change of the effect sets the time of the taint, unless the client has changed it", () => {
  const timeAdded = "2020-01-01T00:00:00Z", other = "2021-01-01T00:00:00Z";
  const stored = rule({ taint: { key: "k", effect: "None", timeAdded } });
  const prepared = (taint: object) =>
    deviceTaintRules.prepare?.(rule({ taint: { key: "k", ...taint } }), stored, context)?.spec.taint.timeAdded;
  assert.equal(deviceTaintRules.prepare?.(rule({}), undefined, context)?.spec.taint.timeAdded, context.now);
  assert.equal(prepared({ effect: "None", timeAdded }), timeAdded);
  assert.equal(prepared({ effect: "NoExecute", timeAdded }), context.now);
  assert.equal(prepared({ effect: "NoExecute", timeAdded: other }), other);
});

test("a taint rule has a maximum number of conditions", () => {
  const { update } = deviceTaintRules.served["resource.{domain}/v1alpha3"]!.subresources!["status"]!;
  const of = (count: number) =>
    rule({}, {
      conditions: Array.from({ length: count }, (_, i) => ({
        type: `T${i}`,
        status: "True",
        reason: "R",
        message: "",
        lastTransitionTime: "2024-01-02T03:04:05Z",
      })),
    });
  assert.deepEqual(texts(update?.(of(conditionsMax), rule({}), context)), []);
  assert.deepEqual(texts(update?.(of(conditionsMax + 1), rule({}), context)), [
    "status.conditions: Too many: 9: must have at most 8 items",
  ]);
});
