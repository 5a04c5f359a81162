import assert from "node:assert/strict";
import { test } from "node:test";
import { areMediaParameters } from "./media-parameters.ts";

test("areMediaParameters() requires one value for each name", () => {
  const good = ["", ";", " ; ", "; charset=utf-8", ";a=b;c=d", "; a = b", ';a="b c"', ';a="b\\"c;d"', ";a=b; A=b", ';a=b;a="b"', ";a=b;"];
  for (const text of good) assert.equal(areMediaParameters(text), true, text);
  const bad = [";x", "; charset", ";a=", ";=b", ";;", ";a=b;a=c", ';a="b', ";a=b c", ";a==b", "x", ';a=""x'];
  for (const text of bad) assert.equal(areMediaParameters(text), false, text);
});
