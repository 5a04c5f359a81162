import assert from "node:assert/strict";
import { test } from "node:test";
import { formOverheadBytes, Forms } from "./forms.ts";

test("Forms makes a form once for each object and name, until the bound is exceeded", () => {
  // Three forms of ten bytes, each with its overhead.
  const forms = new Forms(3 * (10 + formOverheadBytes));
  const [a, b] = [{}, {}];
  let made = 0;
  const ask = (of: object, name: string) => forms.get(of, name, () => new Uint8Array(10).fill(++made));
  const first = ask(a, "x");
  assert.equal(ask(a, "x"), first);
  assert.deepEqual([ask(a, "y")[0], ask(b, "__proto__")[0], made], [2, 3, 3]);
  assert.equal(ask(b, "__proto__")[0], 3);
  assert.equal(ask(b, "y")[0], 4);
  assert.equal(ask(b, "y")[0], 4);
  assert.notEqual(ask(a, "x"), first);
  assert.equal(made, 5);
});

test("Forms keeps no more memory than the bytes of a form", () => {
  const forms = new Forms(), block = new Uint8Array(8192).fill(7);
  const kept = forms.get({}, "part", () => block.subarray(10, 20));
  assert.deepEqual(kept, new Uint8Array(10).fill(7));
  assert.equal(kept.buffer.byteLength, 10);
  const whole = forms.get({}, "whole", () => block);
  assert.equal(whole, block);
});
