// Plugin authors compile Thole's sources with their own options, and JSR publishes the sources.
// In Deno's suite only: the compiler checks the same sources on any runtime.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { run, runtimeMissing, runtimePath, startSkipped } from "../real-server.ts";
import { root } from "./tarball.ts";

// `npm run types` checks all sources with `exactOptionalPropertyTypes` and more.
test("the sources type-check under strict alone", { skip: runtimeMissing("node") }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-types-"));
  try {
    const compilerOptions = {
      strict: true,
      module: "nodenext",
      target: "esnext",
      lib: ["esnext", "dom", "dom.iterable"],
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    };
    const files = ["mod.ts", "client.ts", "plugin.ts", "toolbox.ts", "testing.ts", "server/main.ts"].map((file) => join(root, file));
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { code, output } = await run(runtimePath("node"), [tsc, "-p", folder]);
    assert.equal(code, 0, output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("deno publish --dry-run reports no error and no slow type", { skip: startSkipped("deno") }, async () => {
  // Slow types are found without a check of types, which takes a minute of CPU: `npm run jsr:check` has it.
  const args = ["publish", "--dry-run", "--allow-dirty", "--no-provenance", "--no-check"];
  const { code, output, errors } = await run(runtimePath("deno"), args, { cwd: root, env: { NO_COLOR: "1" } });
  assert.equal(code, 0, output + errors);
  assert.doesNotMatch(errors, /_test\.ts|_bench\.ts/);
});

test("deno.json and package.json have the same name, version and exports", async () => {
  const [npm, jsr] = await Promise.all(
    ["package.json", "deno.json"].map(async (file) => JSON.parse(await readFile(join(root, file), "utf8"))),
  );
  assert.deepEqual([jsr.version, jsr.license, jsr.exports], [npm.version, npm.license, npm.exports]);
  assert.match(jsr.name, /^@[a-z]+\/thole$/);
});
