import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { admissionPage } from "./admission-page.ts";

test("docs/admission.md has the current list of steps (npm run docs)", () => {
  const text = readFileSync(new URL("../../docs/admission.md", import.meta.url), "utf8");
  assert.equal(admissionPage(text), text);
});
