import assert from "node:assert/strict";
import { test } from "node:test";
import { openHeap } from "./heap.ts";

test("openHeap() tells the pages of the heap and the objects in them apart", () => {
  const heap = openHeap();
  heap.collect();
  const pages = heap.bytes(), objects = heap.usedBytes();
  assert.ok(objects > 0 && objects < pages, `${objects} bytes of objects in ${pages}`); // V8 keeps some pages of the young generation free
});
