import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedTextLengthMin, sharedTextsLengthMax, SharedValues } from "./shared-values.ts";

const textOf = (name: string, length: number = sharedTextLengthMin) => JSON.stringify([name, "x".repeat(length)]);

test("readers of one long text share its value, those of a short one do not", () => {
  const values = new SharedValues();
  assert.equal(values.of(textOf("a")), values.of(textOf("a")));
  assert.notEqual(values.of(textOf("a")), values.of(textOf("b")));
  assert.notEqual(values.of('["short"]'), values.of('["short"]'));
});

test("the oldest texts are forgotten when all of them are too long", () => {
  const values = new SharedValues(), length = sharedTextsLengthMax / 2;
  const first = values.of(textOf("first"));
  const large = values.of(textOf("large", length));
  assert.equal(values.of(textOf("first")), first);
  values.of(textOf("larger", length));
  assert.notEqual(values.of(textOf("large", length)), large);
});
