// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { fromStored, toStored } from "./conversion.ts";
import { autoscalers } from "./horizontal-pod-autoscaler.ts";
import { behaviorDefaults, carried, defaultMetrics } from "./defaults.ts";
import { validateSpec } from "./rules.ts";

const scaleTargetRef = { kind: "Deployment", name: "web", apiVersion: "apps/v1" };
const options = { names: defaultNames, minReplicas: 1, target: "group", described: "optional group" } as const;
const errorsOf = (spec: object) => validateSpec({ scaleTargetRef, maxReplicas: 3, ...spec } as any, options).map(fieldErrorText);
const version1 = (annotations: object, spec: object = {}): any => ({
  kind: "HorizontalPodAutoscaler",
  apiVersion: "autoscaling/v1",
  metadata: { name: "a", annotations },
  spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  status: { currentReplicas: 0, desiredReplicas: 0 },
});

test("each field of an autoscaler is checked", () => {
  const rules = (each: object) => ({ behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1800 }], ...each } } });
  const up = "spec.behavior.scaleUp";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{ metrics: defaultMetrics }],
    [{ maxReplicas: 0 }, "spec.maxReplicas: Required value: must be set and greater than 0"],
    [{ minReplicas: 4 }, "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"],
    [
      { scaleTargetRef: { kind: "A", name: "b", apiVersion: "v1" } },
      'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
    ],
    [{ metrics: [{ type: "Pods" }] }, "spec.metrics[0].pods: Required value: must populate information for the given metric source"],
    [rules({ stabilizationWindowSeconds: 3600, selectPolicy: "Disabled", tolerance: "0" })],
    [
      rules({ stabilizationWindowSeconds: 3601 }),
      `${up}.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600`,
    ],
    [rules({ policies: [] }), `${up}.policies: Required value: must specify at least one Policy`],
    [
      rules({ policies: [{ type: "Pods", value: 1, periodSeconds: 1801 }] }),
      `${up}.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800`,
    ],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(errorsOf(spec), errors, JSON.stringify(spec));
});

test("a behavior is filled in for both directions, and an empty list of policies stays", () => {
  const { scaleUp, scaleDown } = behaviorDefaults({ scaleDown: { policies: [] } });
  assert.deepEqual([scaleUp?.policies?.length, scaleUp?.stabilizationWindowSeconds, scaleDown], [2, 0, {
    policies: [],
    selectPolicy: "Max",
  }]);
});

test("version 1 carries in annotations what it has no fields for, and nothing is lost", () => {
  const metrics = JSON.stringify([{ type: "Pods", pods: { metricName: "hits", targetAverageValue: "3" } }]);
  const stored = toStored(version1({ x: "y", [carried.metrics]: metrics }, { targetCPUUtilizationPercentage: 50 }));
  assert.deepEqual(stored.metadata.annotations, { x: "y" });
  assert.deepEqual(stored.spec.metrics?.map(({ type }) => type), ["Pods", "Resource"]);
  const back = fromStored(stored);
  assert.deepEqual(back.metadata.annotations, { x: "y", [carried.metrics]: metrics });
  assert.equal(back.spec.targetCPUUtilizationPercentage, 50);
  for (const text of ["not JSON", "{}", '[{"type":1}]']) {
    assert.deepEqual(toStored(version1({ [carried.metrics]: text })).spec.metrics, defaultMetrics, text);
  }
  const behavior = toStored(version1({ [carried.behavior]: '{"scaleUp":{"StabilizationWindowSeconds":7}}' })).spec.behavior;
  assert.deepEqual(behavior, { scaleUp: { stabilizationWindowSeconds: 7, policies: [] } });
});

test("the table of version 1 shows the metrics of the stored form", () => {
  const { columns = [] } = autoscalers.served["autoscaling/v1"]!, targets = columns.find(({ name }) => name === "Targets");
  const shown = targets!.cell(version1({}, { targetCPUUtilizationPercentage: 50 }) as never);
  assert.equal(shown, "cpu: <unknown>/50%");
});
