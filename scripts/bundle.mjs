// Bundles the server: modules for the npm package (`pack.mjs`), and for the image: `node scripts/bundle.mjs FOLDER`, where FOLDER gets all that the
// image runs but the dependencies.
//
// esbuild makes one module of each set of modules that the same entry points use, so that a start reads few files and each module exists
// once, also for plugins and workers. Tests and benchmarks are not reachable from the entry points.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { withoutIndentation } from "./indentation.mjs";
import { lineMappings } from "./line-maps.mjs";
import { root } from "./runtimes.mjs";

/** The modules that are imported by name, by the subpath of the export. */
export const entries = { ".": "mod", "./plugin": "plugin", "./testing": "testing" };

/** The modules that are loaded by their address. All modules are in one folder, where `siblingModule` finds those of workers. */
const programs = [
  "kernel/main",
  "kernel/command/worker-permissions",
  "kernel/command/worker-process",
  "kernel/heavy/worker-node",
  "kernel/heavy/worker-web",
  "kernel/store/sqlite/thread-node",
  "kernel/store/sqlite/thread-web",
];

/** The entry points of the image: nobody tests in it. */
const imageEntries = { ".": entries["."], "./plugin": entries["./plugin"] };

/** The JavaScript is of this language version: Node 22 has no `using`. */
const target = "es2024";

/**
 * Modules of Node whose import as a module evaluates getters that load much: `http` loads the client of fetch, `process` opens the standard
 * streams. The names are those that are imported.
 */
const withGetters = { "node:http": ["Agent", "IncomingMessage", "request", "ServerResponse"], "node:process": ["default"] };

/** Bundles the programs and the modules with these entry points into `content`. */
export async function bundle(content, chosen = entries) {
  const paths = [...Object.values(chosen), ...programs];
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(paths.map((path) => [basename(path), `${path}.ts`])),
    outdir: content,
    bundle: true,
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target,
    // A chunk that becomes part of a program must not take itself for one.
    define: { "import.meta.main": "false" },
    sourcemap: true,
    sourcesContent: false,
    chunkNames: "chunk-[hash]",
    plugins: [{
      name: "modules with getters",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^node:/ }, ({ path }) => Object.hasOwn(withGetters, path) ? { path, namespace: "builtin" } : undefined);
        onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({ contents: builtin(path, withGetters[path]) }));
      },
    }],
    logLevel: "warning",
  });
  shorten(content);
}

/** A module that exports some names of a module of Node. */
function builtin(path, names) {
  const loaded = `process.getBuiltinModule(${JSON.stringify(path)})`;
  return names.map((name) => name === "default" ? `export default ${loaded};` : `export const { ${name} } = ${loaded};`).join("\n");
}

/** Shortens every module of a folder, and its source map to one place for each line. Maps name the sources by their paths in the repository. */
function shorten(folder) {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (file.endsWith(".js")) writeFileSync(path, withoutIndentation(readFileSync(path, "utf8")));
    if (!file.endsWith(".js.map")) continue;
    const { version, sources, mappings } = JSON.parse(readFileSync(path, "utf8"));
    const named = sources.map((source) => relative(root, resolve(folder, source)));
    writeFileSync(path, JSON.stringify({ version, sources: named, names: [], mappings: lineMappings(mappings) }));
  }
}

/** Writes what the image runs, and the manifests by which a plugin that is mounted below the folder finds `thole/plugin` and the dependencies. */
async function writeImage(folder) {
  await bundle(folder, imageEntries);
  const { name, version, license, type } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const exported = Object.fromEntries(Object.entries(imageEntries).map(([subpath, file]) => [subpath, `./${file}.js`]));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version, license, type, exports: exported }, undefined, 2)}\n`);
  writeFileSync(join(folder, "deno.json"), '{"nodeModulesDir":"manual"}\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeImage(resolve(process.argv[2]));
