import assert from "node:assert/strict";
import { test } from "node:test";
import { siblingModule } from "./sibling-module.ts";

test("siblingModule() has the caller's folder and extension", () => {
  assert.equal(siblingModule("file:///a/b.c/store.ts", "thread").href, "file:///a/b.c/thread.ts");
  assert.equal(siblingModule("file:///a/store.js?x=1.ts", "thread").href, "file:///a/thread.js");
  assert.equal(siblingModule("https://example.com/a/store.ts", "thread").href, "https://example.com/a/thread.ts");
});
