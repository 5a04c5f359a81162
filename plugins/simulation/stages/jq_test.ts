// The subset of jq: what the stages of kwok use, and its bounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JqError, parseJq, valuesOf } from "./jq.ts";

const pod = {
  metadata: { labels: { "a.b/c": "true" }, ownerReferences: [{ kind: "Job" }, { kind: "X" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }, { type: "Initialized", status: "False" }], count: 3 },
};

test("valuesOf() reads paths, lists and selections", () => {
  for (
    const [text, expected] of [
      [".status.phase", ["Running"]],
      ['.metadata.labels["a.b/c"]', ["true"]],
      ['.metadata.annotations["a"]', []],
      [".metadata.ownerReferences.[].kind", ["Job", "X"]],
      [".metadata.ownerReferences[0].kind", ["Job"]],
      ['.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]],
      ['.status.conditions[] | select(.type == "Ready" and .status != "True") | .status', []],
      [".status.missing.deeper", []],
      ['.status.missing // "none"', ["none"]],
      [".status.count >= 3, (.status.conditions | length)", [true, 2]],
      ['.status | has("phase")', [true]],
      [".status.missing[]?", []],
      ['.metadata.ownerReferences | any(.kind == "Job")', [true]],
    ] as const
  ) {
    assert.deepEqual(valuesOf(parseJq(text), pod), expected, text);
  }
});

test("valuesOf() has no values where the evaluation fails, as with a list that is absent", () => {
  assert.equal(valuesOf(parseJq(".status.missing.[].a"), pod), undefined);
  assert.equal(valuesOf(parseJq(".status.phase.a"), pod), undefined);
});

test("valuesOf() counts the values that functions read, not only the parts of the expression", () => {
  const large = { list: Array.from({ length: 2_000 }, (_, i) => ({ a: String(i) })), text: "x".repeat(500_000) };
  const many = Array(60).fill(".list").join(",");
  for (const text of [`${many} | tostring`, `${many} | . == .`, `(${many})[] | length`, `${many} | any(true)`]) {
    assert.equal(valuesOf(parseJq(text), large), undefined, text);
  }
  assert.equal(valuesOf(parseJq(`${Array(60).fill(".text").join(",")} | length`), large), undefined);
  assert.deepEqual(valuesOf(parseJq(".list | length"), large), [2_000]);
});

test("has() takes keys of objects and of lists", () => {
  assert.deepEqual(valuesOf(parseJq(".status.conditions | has(1), has(2)"), pod), [true, false]);
  for (const text of [".status | has(0)", '.status.conditions | has("0")', ".status | has(.)"]) {
    assert.equal(valuesOf(parseJq(text), pod), undefined, text);
  }
});

test("parseJq() refuses long chains, which would be nested as deep, and wrong numbers", () => {
  for (const text of [".a".repeat(101), ".".concat("?".repeat(200)), Array(101).fill("1").join(","), "1.2.3"]) {
    assert.throws(() => parseJq(text), JqError, text);
  }
  assert.deepEqual(valuesOf(parseJq(Array(99).fill("1").join(",")), null)?.length, 99);
});

test("parseJq() refuses what it does not know", () => {
  for (const text of ["", "[1]", ".a |", ".[", "select()", "input", "env", '"a', "(.a", ".a)", "}", "1 +", "@base64"]) {
    assert.throws(() => parseJq(text), JqError, text);
  }
});

test("length, depth and steps of an expression are bounded", () => {
  assert.throws(() => parseJq(`.${"a".repeat(4_096)}`), JqError);
  assert.throws(() => parseJq(`${"(".repeat(51)}.${")".repeat(51)}`), JqError);
  const list = Array.from({ length: 200 }, () => 1);
  assert.equal(valuesOf(parseJq(".[]"), list)?.length, 200);
  const nested = Array.from({ length: 200 }, () => list);
  assert.equal(valuesOf(parseJq(".[] | .[]"), nested), undefined);
});
