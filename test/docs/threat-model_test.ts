// The tests that docs/threat-model.md names exist.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);

test("docs/threat-model.md names a test for each attack, by file and title", () => {
  const page = readFileSync(new URL("docs/threat-model.md", root), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| attack |"));
  assert.ok(rows.length > 20, `${rows.length}`);
  const missing = rows.filter((row) => {
    const [, file = "", title = ""] = /\| `([^`]+_test\.ts)`: ?(.*) \|$/.exec(row) ?? [];
    return file === "" || !existsSync(new URL(file, root)) || !readFileSync(new URL(file, root), "utf8").includes(title);
  });
  assert.deepEqual(missing, []);
});
