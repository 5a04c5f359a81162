import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../../core/field-error.ts";
import { validateWebhooks, type Webhook } from "./webhook.ts";

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], scope: "*" };
const webhook = (changes: object = {}): Webhook => ({
  name: "a.example.com",
  clientConfig: { url: "https://example.com/a" },
  rules: [rule],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  sideEffects: "None",
  timeoutSeconds: 10,
  admissionReviewVersions: ["v1"],
  ...changes,
} as Webhook); // of the schema
const context = { minCompatibility: "1.34" };
const errors = (webhooks: readonly Webhook[], prior?: readonly Webhook[]) => validateWebhooks(webhooks, prior, context).map(fieldErrorText);
const errorOf = (changes: object, prior?: object) =>
  errors([webhook(changes)], prior === undefined ? undefined : [webhook(prior)]).join("; ");

test("validateWebhooks() accepts a complete webhook, and none", () => {
  assert.deepEqual(
    errors([webhook(), webhook({ name: "b.example.com", clientConfig: { service: { name: "s", namespace: "n", path: "/x", port: 1 } } })]),
    [],
  );
  assert.deepEqual(validateWebhooks(undefined, undefined, context), []);
});

const cases: readonly (readonly [object, string])[] = [
  [{ name: "" }, "webhooks[0].name: Required value"],
  [{ name: "a.b" }, 'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
  [{ rules: [{ ...rule, operations: [] }] }, "webhooks[0].rules[0].operations: Required value"],
  [{ failurePolicy: "Maybe" }, 'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
  [{ matchPolicy: "Some" }, 'webhooks[0].matchPolicy: Unsupported value: "Some": supported values: "Equivalent", "Exact"'],
  [{ sideEffects: "Some" }, 'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  [{ sideEffects: undefined }, "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun"],
  [{ timeoutSeconds: 0 }, "webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds"],
  [{ timeoutSeconds: 31 }, "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"],
  [{ clientConfig: {} }, "webhooks[0].clientConfig: Required value: exactly one of url or service is required"],
  [{ admissionReviewVersions: [] }, "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1"],
  [{ reinvocationPolicy: "Often" }, 'webhooks[0].reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"'],
];
for (const [changes, expected] of cases) {
  test(`validateWebhooks() rejects ${JSON.stringify(changes)}`, () => assert.equal(errorOf(changes), expected));
}

test("validateWebhooks() checks bounds of the timeout, and names and versions within the list", () => {
  for (const timeoutSeconds of [1, 30]) assert.equal(errorOf({ timeoutSeconds }), "");
  assert.deepEqual(errors([webhook(), webhook()]), ['webhooks[1].name: Duplicate value: "a.example.com"']);
  assert.match(errorOf({ admissionReviewVersions: ["v1", "v1"] }), /admissionReviewVersions\[1\]: Invalid value: "v1": duplicate version/);
  assert.match(errorOf({ admissionReviewVersions: ["v9"] }), /must include at least one of v1, v1beta1/);
});

test("validateWebhooks() does not reject in an update what the stored webhooks violate already", () => {
  assert.equal(errorOf({ sideEffects: "Some" }, { sideEffects: "Unknown" }), "");
  assert.equal(errorOf({ admissionReviewVersions: ["v9"] }, { admissionReviewVersions: ["v8"] }), "");
  assert.deepEqual(errors([webhook(), webhook()], [webhook(), webhook()]), []);
  const matchConditions = [{ name: "a", expression: "undeclared" }];
  assert.equal(errorOf({ matchConditions, timeoutSeconds: 5 }, { matchConditions }), "");
  assert.match(errorOf({ matchConditions }, {}), /webhooks\[0\]\.matchConditions\[0\]\.expression/);
});
