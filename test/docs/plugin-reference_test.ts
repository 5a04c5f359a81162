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

interface Doc {
  readonly nodes: Readonly<
    Record<string, { readonly symbols: readonly { name: string; declarations: readonly { jsDoc?: { doc?: string } }[] }[] }>
  >;
}

test("the contract names every type that its members have", { skip: startSkipped("deno") }, async () => {
  const args = ["doc", "--lint", "plugin.ts", "toolbox.ts"];
  const { errors } = await run(runtimePath("deno"), args, { cwd: root, env: { NO_COLOR: "1" } });
  assert.match(errors, /missing-jsdoc/, "the linter has run: members without a docstring are left");
  assert.deepEqual(
    [...errors.matchAll(/^error\[(?:private-type-ref|missing-return-type|missing-explicit-type)\]: .*/gm)].map(([line]) => line),
    [],
  );
});

for (
  const [file, name] of [["mod.ts", "thole"], ["plugin.ts", "thole/plugin"], ["toolbox.ts", "thole/plugin/toolbox"], [
    "testing.ts",
    "thole/testing",
  ]] as const
) {
  test(`every export of ${name} has a docstring`, { skip: startSkipped("deno") }, async () => {
    const { code, output, errors } = await run(runtimePath("deno"), ["doc", "--json", file], { cwd: root });
    assert.equal(code, 0, errors);
    const { nodes }: Doc = JSON.parse(output);
    const symbols = Object.values(nodes).flatMap(({ symbols }) => symbols);
    assert.ok(symbols.length > 3, "deno doc lists the exports");
    const missing = symbols.filter(({ declarations }) => !declarations.some(({ jsDoc }) => (jsDoc?.doc ?? "").trim() !== ""));
    assert.deepEqual(missing.map((each) => each.name), []);
  });
}
