import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { configurationPage } from "./configuration-page.ts";

test("docs/configuration.md says what settings and gates say; `npm run docs` writes it anew", async () => {
  assert.equal(await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8"), configurationPage());
});
