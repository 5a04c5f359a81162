import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { metricsPage } from "./metrics-page.ts";

test("docs/metrics.md says what the definitions say; `npm run docs` writes it anew", async () => {
  assert.equal(await readFile(new URL("../../docs/metrics.md", import.meta.url), "utf8"), metricsPage());
});
