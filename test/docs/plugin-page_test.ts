// The blocks of docs/writing-a-plugin.md marked `databases` form one program, which runs on both runtimes and type-checks.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, runtimePath, startSkipped } from "../real-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Writes the program into a temporary folder and runs it. */
async function withProgram(use: (file: string, folder: string) => Promise<void>): Promise<void> {
  const page = await readFile(join(root, "docs/writing-a-plugin.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts databases\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  assert.equal(blocks.length, 7, "blocks of the program");
  const folder = await mkdtemp(join(tmpdir(), "thole-plugin-page-"));
  try {
    const file = join(folder, "databases.ts");
    const code = blocks.join("\n").replaceAll('"thole/plugin"', JSON.stringify(join(root, "plugin.ts")));
    await writeFile(file, code.replaceAll('"thole/testing"', JSON.stringify(join(root, "testing.ts"))));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await use(file, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const runtime of ["deno", "node"] as const) {
  test(
    `the program of docs/writing-a-plugin.md runs unchanged (${runtime})`,
    { skip: startSkipped(runtime) },
    () =>
      withProgram(async (file) => {
        const flags = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
        const { code, output, errors } = await run(runtimePath(runtime), [...flags, file]);
        assert.equal(code, 0, output + errors);
      }),
  );
}

test(
  "the program of docs/writing-a-plugin.md type-checks under the options of the page",
  { skip: startSkipped("node") },
  () =>
    withProgram(async (file, folder) => {
      const page = await readFile(join(root, "docs/writing-a-plugin.md"), "utf8");
      const { compilerOptions } = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)![1]!);
      const types = { typeRoots: [join(root, "node_modules/@types")] };
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...compilerOptions, ...types }, files: [file] }));
      const { code, output } = await run(runtimePath("node"), [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
      assert.equal(code, 0, output);
    }),
);
