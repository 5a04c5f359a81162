import assert from "node:assert/strict";
import { test } from "node:test";
import { countValues } from "./count-values.ts";

test("countValues() counts values outside of texts, up to one more than the bound", () => {
  const texts = { "1": 1, "": 1, "[1,2,3]": 4, '{"a":1,"b":[2]}': 4, "[]": 2, '"[,{"': 1, '["\\",[","a"]': 3, '"\\': 1 };
  for (const [text, count] of Object.entries(texts)) assert.equal(countValues(text), count, text);
  assert.deepEqual([countValues("[1,2,3]", 4), countValues("[1,2,3]", 3), countValues("[1,2,3]", 1)], [4, 4, 2]);
});
