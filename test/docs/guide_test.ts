// Messages of the server that refer to a section of the operators' guide.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { guide, guideSections } from "../../core/guide.ts";

test("every section that messages name is a heading of the operators' guide", () => {
  const text = readFileSync(new URL("../../docs/operators-guide.md", import.meta.url), "utf8");
  const headings = new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading.toLowerCase().replaceAll(" ", "-")));
  for (const section of guideSections) assert.ok(headings.has(section), guide(section));
});
