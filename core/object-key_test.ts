import assert from "node:assert/strict";
import { test } from "node:test";
import { objectKey, splitObjectKey } from "./object-key.ts";

test("objectKey() and splitObjectKey() are inverse", () => {
  for (const { metadata, key } of [{ metadata: { name: "a", namespace: "b" }, key: "b/a" }, { metadata: { name: "a:b" }, key: "a:b" }]) {
    assert.equal(objectKey({ metadata }), key);
    assert.deepEqual(splitObjectKey(key), { namespace: "", ...metadata });
  }
});
