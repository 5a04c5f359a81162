// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { configurationPage } from "../../tools/docs/configuration-page.ts";

test("docs/configuration.md is up to date; `npm run docs` updates it", async () => {
  assert.equal(await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8"), configurationPage());
});
