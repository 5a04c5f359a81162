// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { metricsPage } from "../../tools/docs/metrics-page.ts";

test("docs/metrics.md is up to date; `npm run docs` updates it", async () => {
  assert.equal(await readFile(new URL("../../docs/metrics.md", import.meta.url), "utf8"), metricsPage());
});
