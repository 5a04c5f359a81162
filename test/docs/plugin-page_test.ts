// docs/writing-a-plugin.md explains examples/databases: its blocks are the files of the example, which pass; test/package/examples.ts
// type-checks them.
// In Deno's suite only: test/package/installed_test.ts runs the example on Node.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, runtimePath, startSkipped } from "../real-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = ["databases.ts", "databases.test.ts"];
const page = () => readFile(join(root, "docs/writing-a-plugin.md"), "utf8");
const example = (file: string) => readFile(join(root, "examples/databases", file), "utf8");

test("the blocks of the page are the files of examples/databases", async () => {
  const text = await page();
  for (const file of files) {
    const blocks = [...text.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === file).map(([, , code]) => code);
    assert.equal(blocks.join("\n"), await example(file), file);
  }
});

/** Copies the example into a temporary folder, with the repository as its package. */
async function withExample(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-plugin-page-"));
  try {
    for (const file of files) {
      const code = (await example(file)).replaceAll('"thole/plugin"', JSON.stringify(join(root, "plugin.ts")));
      await writeFile(join(folder, file), code.replaceAll('"thole/testing"', JSON.stringify(join(root, "testing.ts"))));
    }
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const runtime of ["deno", "node"] as const) {
  test(`examples/databases passes its tests (${runtime})`, { skip: startSkipped(runtime) }, () =>
    withExample(async (folder) => {
      const flags = runtime === "deno" ? ["test", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning", "--test"];
      // Without Node's mark of a test's process the example is a run of its own.
      const command = ["-u", "NODE_TEST_CONTEXT", runtimePath(runtime), ...flags, join(folder, "databases.test.ts")];
      const { code, output, errors } = await run("env", command, { cwd: folder });
      assert.equal(code, 0, output + errors);
      assert.match(output, runtime === "deno" ? /6 passed/ : /pass 6\b/);
    }));
}
