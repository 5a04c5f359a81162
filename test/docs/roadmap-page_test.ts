// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { roadmapPage } from "../../tools/docs/roadmap-page.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

test("docs/roadmap.md has the missing features by plan (npm run docs)", () => {
  assert.equal(roadmapPage(page("roadmap.md"), page("not-implemented.md")), page("roadmap.md"));
});

test("roadmapPage() rejects a feature without a known plan", () => {
  assert.throws(
    () => roadmapPage(page("roadmap.md"), "| a feature | none | 404 | some day |"),
    /a feature has none of the plans planned, later/,
  );
});
