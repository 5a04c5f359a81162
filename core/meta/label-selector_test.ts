import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../field-error.ts";
import { hasInvalidLabelValue, validateLabelSelector } from "./label-selector.ts";

const texts = (selector: Parameters<typeof validateLabelSelector>[0], stored = false) =>
  validateLabelSelector(selector, "at", { storedValues: stored }).map(fieldErrorText);
const one = (key: string, operator: string, ...values: string[]) => ({ matchExpressions: [{ key, operator, values }] });

test("validateLabelSelector() accepts absent, empty and valid selectors", () => {
  for (const selector of [undefined, {}, { matchLabels: { "a/b": "c" } }, one("a", "In", "b"), one("a", "Exists"), one("a", "NotIn", "")]) {
    assert.deepEqual(texts(selector), []);
  }
});

test("validateLabelSelector() requires values for In and NotIn, and forbids them for Exists and DoesNotExist", () => {
  assert.deepEqual(texts(one("a", "NotIn")), [
    "at.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ]);
  assert.deepEqual(texts(one("a", "DoesNotExist", "b")), [
    "at.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
  ]);
  assert.deepEqual(texts(one("a", "constructor")), [
    'at.matchExpressions[0].operator: Invalid value: "constructor": not a valid selector operator',
  ]);
});

test("validateLabelSelector() accepts invalid label values with `storedValues`", () => {
  const selector = one("a", "In", "b", "-");
  assert.equal(texts(selector).length, 1);
  assert.deepEqual(texts(selector, true), []);
  assert.equal(hasInvalidLabelValue(selector), true);
  assert.equal(hasInvalidLabelValue(one("a", "In", "b")), false);
  assert.equal(hasInvalidLabelValue(undefined), false);
});

test("validateLabelSelector() validates __proto__ and constructor as ordinary keys", () => {
  assert.equal(texts({ matchLabels: JSON.parse('{"__proto__": "a b"}') }).length, 2);
});
