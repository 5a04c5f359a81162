// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { podDisruptionBudgets, withoutReservedLabel } from "./pod-disruption-budget.ts";
import { validateBudgetSpec, validateBudgetStatus } from "./rules.ts";

const checked = (spec: any, storedValues = false) => validateBudgetSpec(spec, storedValues).map(fieldErrorText); // `any`: also wrong specs

test("each field of a PodDisruptionBudget is checked", () => {
  const percent = "a valid percent string must be a numeric string followed by an ending '%' " +
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [{ minAvailable: 0, selector: {} }],
    [{ maxUnavailable: "100%", unhealthyPodEvictionPolicy: "IfHealthyBudget" }],
    [{ minAvailable: -1 }, "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"],
    [{ maxUnavailable: "101%" }, 'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    [{ maxUnavailable: "5" }, `spec.maxUnavailable: Invalid value: "5": ${percent}`],
    [
      { minAvailable: 1, maxUnavailable: "1%" },
      'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"1%","UnhealthyPodEvictionPolicy":null}: ' +
      "minAvailable and maxUnavailable cannot be both set",
    ],
    [
      { unhealthyPodEvictionPolicy: "x" },
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ];
  for (const [spec, ...errors] of cases) assert.deepEqual(checked(spec), errors, JSON.stringify(spec));
});

test("an update may keep invalid labels that the selector has", () => {
  const spec = { selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b c"] }] } };
  assert.equal(checked(spec).length, 1);
  assert.deepEqual(checked(spec, true), []);
});

test("the numbers of a status are not negative", () => {
  const zero = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  assert.deepEqual(validateBudgetStatus(zero), []);
  for (const name of Object.keys(zero)) {
    const errors = validateBudgetStatus({ ...zero, [name]: -1 }).map(fieldErrorText);
    assert.deepEqual(errors, [`status.${name}: Invalid value: -1: must be greater than or equal to 0`]);
  }
});

test("requirements about the label of v1beta1 are dropped, except for a selector of nothing", () => {
  const key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
  const of = (...matchExpressions: any[]) => withoutReservedLabel({ selector: { matchExpressions } }, defaultNames).selector;
  const other = { key: "a", operator: "Exists" };
  assert.deepEqual(of({ key, operator: "Exists" }), { matchExpressions: [{ key, operator: "Exists" }] });
  assert.deepEqual(of({ key, operator: "DoesNotExist" }), {});
  assert.deepEqual(of(other, { key, operator: "Exists" }), { matchExpressions: [other] });
});

test("the table of budgets shows N/A for an amount that is not set", () => {
  const cells = (spec: object) => podDisruptionBudgets.served["policy/v1"]!.columns!.slice(1, 3).map(({ cell }) => cell!({ spec } as any));
  assert.deepEqual(cells({ minAvailable: "50%" }), ["50%", "N/A"]);
  assert.deepEqual(cells({ maxUnavailable: 0 }), ["N/A", "0"]);
});
