// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, runtimePath, startSkipped } from "../real-server.ts";
import { pluginReference } from "../../tools/docs/plugin-reference.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("docs/plugin-reference.md is up to date; `npm run docs` updates it", async () => {
  assert.equal(await readFile(`${root}docs/plugin-reference.md`, "utf8"), pluginReference());
});

test("every hook has a docstring in the reference", () => {
  const lines = pluginReference().split("\n");
  for (const name of ["prepare?(", "handleCreate?(", "mutate?:", "write?:", "respond?:", "check("]) {
    const at = lines.findIndex((line) => line.startsWith(`- \`${name}`));
    assert.ok(at >= 0 && lines[at + 1]?.startsWith("  "), name);
  }
});

test("deno doc --lint finds nothing: every public name has a docstring, and every type that it has is exported", {
  skip: startSkipped("deno"),
}, async () => {
  const { exports } = JSON.parse(await readFile(`${root}package.json`, "utf8")), entries = Object.values<string>(exports);
  const { code, errors } = await run(runtimePath("deno"), ["doc", "--lint", ...entries], { cwd: root, env: { NO_COLOR: "1" } });
  const findings = errors.matchAll(/^error\[([a-z-]+)\]: (.*)\n\s*--> (.*)/gm);
  assert.deepEqual([...findings].map(([, rule, text, place]) => `${place}: ${rule}: ${text}`), []);
  assert.equal(code, 0, errors);
  assert.match(errors, new RegExp(`Checked ${entries.length} files`));
});
