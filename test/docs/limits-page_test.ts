// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { boundsIn, limitsPage } from "../../tools/docs/limits-page.ts";

test("docs/limits.md has the bounds of the sources (npm run docs)", () => {
  assert.equal(limitsPage(), readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8"));
});

test("boundsIn() finds bounds with their comments, and refuses one without a comment of its own", () => {
  const text = `
/** Bytes. */
export const oneBytes = bound(3 * 1024);
/** Milliseconds. */
const oneMs = bound(
  1_000,
);

/**
 * Several
 * lines.
 */
const other = bound(1);
`;
  assert.deepEqual(boundsIn(text), [
    { name: "oneBytes", value: "3 * 1024", about: "Bytes." },
    { name: "oneMs", value: "1_000", about: "Milliseconds." },
    { name: "other", value: "1", about: "Several lines." },
  ]);
  assert.throws(() => boundsIn("/** Bytes. */\nconst one = bound(1);\nconst two = bound(2);"), /two has no comment/);
  assert.throws(() => boundsIn("const lonely = bound(1);"), /lonely has no comment/);
});
