// In Deno's suite only: it compares a page with the code.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { testControlPage } from "../../tools/docs/test-control-page.ts";

test("the table of the test control in docs/testing.md is that of its operations: npm run docs", async () => {
  const text = await readFile(new URL("../../docs/testing.md", import.meta.url), "utf8");
  assert.equal(testControlPage(text), text);
});
