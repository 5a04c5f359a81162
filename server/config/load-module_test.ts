import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../core/test-clock.ts";
import { inTime, loadModule } from "./load-module.ts";
import { pluginLoadMs } from "./module-error.ts";

test("loadModule() names the package.json whose type prevents Node from loading a module", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-load-module-"));
  try {
    const manifest = join(folder, "package.json");
    const write = async (name: string, type: string, text: string) => {
      await writeFile(manifest, JSON.stringify({ type }));
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const module = "export const a: number = 1;\n";
    const common = loadModule(await write("a.ts", "commonjs", module));
    if ("Deno" in globalThis) assert.equal((await common)["a"], 1, "Deno takes every .ts file for a module");
    else {await assert.rejects(common, {
        message: `${manifest} has the type "commonjs": set it to "module", or let the file's name end with .mts or .mjs`,
      });}
    assert.equal((await loadModule(await write("b.mts", "commonjs", module)))["a"], 1);
    await assert.rejects(
      async () => loadModule(await write("c.ts", "module", "export const = 1;\n")),
      (error: Error) => !error.message.includes("package.json"),
    );
    await assert.rejects(loadModule(join(folder, "absent.ts")), /absent\.ts/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("loadModule() names file and line of a fault in an imported file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-load-module-"));
  const isDeno = "Deno" in globalThis, at = (line: number, column: number) => isDeno ? `${line}:${column}` : `${line}`;
  try {
    const write = (name: string, text: string) => writeFile(join(folder, name), text);
    await write("package.json", '{ "type": "module" }');
    const begin = async (name: string, imported: string) => {
      await write(name, `\nimport { a } from "./${imported}";\nexport default a;\n`);
      return join(folder, name);
    };
    const fails = async (name: string, imported: string, text: string | undefined, expected: string) => {
      if (text !== undefined) await write(imported, text);
      await assert.rejects(loadModule(await begin(name, imported)), (error: Error) => {
        assert.ok(error.message.startsWith(expected), error.message);
        return !error.message.includes("\n");
      });
    };
    const file = (name: string) => join(folder, name);
    await fails(
      "p1.ts",
      "syntax.ts",
      "export const b = 1;\nexport const a = {\n  b: 1,,\n};\n",
      `${file("syntax.ts")}:${at(3, 8)}: Unexpected token`,
    );
    await fails("p2.mjs", "syntax.mjs", "export const a = {\n  b: 1,,\n};\n", `${file("syntax.mjs")}:${at(2, 8)}: Unexpected token`);
    await fails("p3.ts", "names.ts", "export const b = 1;\n", `${file("p3.ts")}:${at(2, 10)}: The requested module './names.ts'`);
    await fails("p4.ts", "throws.ts", "const b: any = undefined;\nexport const a = b.c;\n", `${file("throws.ts")}:2:20: Cannot read prop`);
    // Node has no line here.
    await fails(
      "p5.ts",
      "absent.ts",
      undefined,
      isDeno ? `${file("p5.ts")}:2:19: Module not found` : `Cannot find module '${file("absent.ts")}'`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

// Without a module: Deno ends a test whose module does not finish.
test("inTime() rejects a module that never finishes", async () => {
  const clock = manualClock();
  const loading = assert.rejects(inTime(new Promise(() => {}), clock), { message: /^it did not finish within 10 s: does it await/ });
  assert.equal(clock.waiting, 1);
  clock.advance(pluginLoadMs);
  await loading;
});
