// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { errorsPage } from "../../tools/docs/errors-page.ts";
import { kindsPage } from "../../tools/docs/kinds-page.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

test("docs/kinds.md has the kinds of the built-in plugins (npm run docs)", () => {
  assert.equal(kindsPage(), page("kinds.md"));
  assert.match(page("kinds.md"), /^\| `StorageClass` \| `storage\.k8s\.io` \| `v1` \| `storageclasses` `sc` \| cluster \|/m);
});

test("docs/errors.md has the reasons of the code (npm run docs)", () => {
  assert.equal(errorsPage(), page("errors.md"));
});
