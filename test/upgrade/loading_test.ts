// The package yaml is loaded by commands that read files only: a server neither loads nor keeps it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** The files that a module loads when it is loaded, without `import()`, and the packages among them. */
function loadedBy(start: string): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set([start]), packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    for (const [, clause = "", specifier = ""] of text.matchAll(/^(?:import|export) ([\w*{}, \n]*)"([^"\n]+)";/gm)) {
      if (clause.startsWith("type ")) continue;
      if (!specifier.startsWith(".")) packages.add(specifier);
      else {
        const path = fileURLToPath(new URL(specifier, `file://${file}`));
        assert.ok(existsSync(path), path);
        files.add(path);
      }
    }
  }
  return { files, packages };
}

const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("a server does not load yaml; convert and advise do", () => {
  for (
    const path of [
      "server/main.ts",
      "server/process/serve.ts",
      "commands/dev.ts",
      "server/process/worker-process.ts",
      "mod.ts",
      "testing.ts",
      "plugin.ts",
      "toolbox.ts",
    ]
  ) {
    const { files, packages } = loadedBy(source(path));
    assert.ok(files.size > 5, path);
    assert.equal(packages.has("yaml"), false, path);
  }
  for (const name of ["convert", "advise"]) assert.equal(loadedBy(source(`commands/${name}.ts`)).packages.has("yaml"), true);
});
