// Bundles the server for the npm package (`pack.mjs`), and for the image: `node scripts/bundle.mjs FOLDER`, where FOLDER gets all that the image runs
// but the dependencies.
//
// The server is one script, whose code V8 can keep from one start to the next (`load-server.mjs`). What is imported by name or loaded by its address is a
// module that gets its exports from the script, so that each module of the source exists once, also for plugins. A module of the source runs when it is
// first imported: what the source imports by `import()` is loaded on demand. Tests and benchmarks are not reachable from the entry points.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { withoutIndentation } from "./indentation.mjs";
import { lineMappings } from "./line-maps.mjs";
import { root } from "./runtimes.mjs";
import { nodesOf } from "./syntax.mjs";

/** The modules that are imported by name, by the subpath of the export. */
export const entries = { ".": "mod", "./client": "client", "./plugin": "plugin", "./plugin/toolbox": "toolbox", "./testing": "testing" };

/** Programs that are loaded by their address, beside any other module (`siblingModule`), and have the whole server. */
const programs = [
  "server/main",
  "server/process/worker-permissions",
  "server/process/worker-process",
  "server/heavy/worker-node",
  "server/heavy/worker-web",
];

/** Programs with little of the code, in threads of their own: they have modules of their own. */
const smallPrograms = ["kernel/store/sqlite/thread-node.ts", "kernel/store/sqlite/thread-web.ts"];

/** The entry points of the image: nobody tests in it. */
const imageEntries = { ".": entries["."], "./plugin": entries["./plugin"], "./plugin/toolbox": entries["./plugin/toolbox"] };

/** The JavaScript is of this language version: Node 22 has no `using`. */
const target = "es2024";

/**
 * Modules of Node whose import as a module evaluates getters that load much: `http` loads the client of fetch, `process` opens the standard
 * streams. The names are those that are imported.
 */
const withGetters = { "node:http": ["Agent", "createServer", "IncomingMessage", "request", "ServerResponse"], "node:process": ["default"] };

const common = {
  absWorkingDir: root,
  bundle: true,
  packages: "external",
  platform: "node",
  target,
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
};

/** Bundles the programs and the modules with these entry points into `content`. `more`: modules of their own beside them. */
export async function bundle(content, chosen = entries, more = []) {
  const whole = [...Object.values(chosen), ...programs];
  const parts = join(content, "parts");
  const exported = await buildParts(parts, whole);
  const script = await buildScript(content, parts, whole);
  rmSync(parts, { recursive: true });
  await buildModules(content, exported, script, [...smallPrograms, ...more]);
  shorten(content);
}

/**
 * Builds the parts of the script: modules that the same entries use become one, so that the script has few of them, and what is loaded on demand
 * stays apart. Returns the names that each entry exports.
 */
async function buildParts(folder, paths) {
  const { metafile } = await build({
    ...common,
    entryPoints: namedByFile(paths.map((path) => `${path}.ts`)),
    outdir: folder,
    splitting: true,
    format: "esm",
    metafile: true,
    // A module that becomes part of a program must not take itself for one.
    define: { "import.meta.main": "false", "import.meta.url": "moduleUrl" },
    plugins: [modulesWithGetters, checkedDefinitions],
  });
  const outputs = Object.values(metafile.outputs);
  return new Map(paths.map((path) => [basename(path), outputs.find(({ entryPoint }) => entryPoint === `${path}.ts`).exports]));
}

/** Builds the script and returns its file name. It exports a function for each entry, which runs the module, once, and returns its exports. */
async function buildScript(content, parts, paths) {
  const functions = paths.map((path) => `${JSON.stringify(basename(path))}: () => require("./${basename(path)}.js")`);
  const { metafile } = await build({
    ...common,
    absWorkingDir: content,
    stdin: { contents: `module.exports = {\n${functions.join(",\n")}\n};`, resolveDir: parts, sourcefile: "server.cjs" },
    outdir: content,
    entryNames: "server-[hash]",
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    metafile: true,
  });
  const name = basename(Object.keys(metafile.outputs).find((path) => path.endsWith(".cjs"))), file = join(content, name);
  writeFileSync(file, scriptStart + importsReplaced(readFileSync(file, "utf8")));
  return name;
}

/**
 * The beginning of the script, in its first line, so that source maps stay right. The modules were strict. A script cannot use `import()` without an
 * experiment of Node, so it has the function of `load-server.mjs`; as a CommonJS module that Node loads itself it can.
 */
const scriptStart = '"use strict"; const moduleUrl = require("node:url").pathToFileURL(__dirname + "/main.js").href, ' +
  "importModule = module.importModule ?? ((specifier) => import(specifier)); ";

/** The text with a call of `importModule` in place of each `import()`. */
function importsReplaced(text) {
  const ends = nodesOf(text, "Import").map(({ end }) => end);
  return ends.toReversed().reduce((rest, end) => `${rest.slice(0, end - "import".length)}importModule${rest.slice(end)}`, text);
}

/** Builds the modules that are imported by name or loaded by their address. Those with the whole server get it from the script. */
async function buildModules(content, exported, script, apart) {
  const whole = [...exported.keys()];
  await build({
    ...common,
    entryPoints: { ...Object.fromEntries(whole.map((name) => [name, `server:${name}`])), ...namedByFile(apart) },
    outdir: content,
    splitting: true,
    format: "esm",
    define: { "import.meta.main": "false", SERVER_SCRIPT: JSON.stringify(script) },
    chunkNames: "chunk-[hash]",
    plugins: [modulesWithGetters, {
      name: "modules of the script",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^server:/ }, ({ path }) => ({ path: path.slice("server:".length), namespace: "server" }));
        onLoad({ filter: /./, namespace: "server" }, ({ path }) => ({ contents: moduleOf(path, exported.get(path)), resolveDir: root }));
      },
    }],
  });
}

/** A module with these exports of an entry of the script. */
function moduleOf(entry, names) {
  const run = `server[${JSON.stringify(entry)}]()`;
  return `import { server } from "./scripts/load-server.mjs";
${names.length === 0 ? run : `export const { ${names.join(", ")} } = ${run}`};`;
}

/** Entry points for esbuild, by the names of their files. */
function namedByFile(paths) {
  return Object.fromEntries(paths.map((path) => [basename(path, extname(path)), path]));
}

const modulesWithGetters = {
  name: "modules with getters",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => Object.hasOwn(withGetters, path) ? { path, namespace: "builtin" } : undefined);
    onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({ contents: builtin(path, withGetters[path]) }));
  },
};

/**
 * Gives the built-in plugins a contract that defines without a check: each run of the sources, and so each test, has checked their definitions. The
 * checks take a fifteenth of a start. Plugins of others import the contract itself, which checks.
 */
const checkedDefinitions = {
  name: "checked definitions",
  setup({ onResolve, onLoad }) {
    const contract = join(root, "plugin.ts"), builtIn = join(root, "plugins/");
    onResolve(
      { filter: /\/plugin\.ts$/ },
      ({ path, importer, resolveDir }) =>
        importer.startsWith(builtIn) && resolve(resolveDir, path) === contract ? { path: contract, namespace: "checked" } : undefined,
    );
    onLoad({ filter: /./, namespace: "checked" }, () => ({
      contents: 'export * from "./plugin.ts";\n' +
        'export { deepFreeze as definePlugin, deepFreeze as defineResource } from "./core/define/define.ts";',
      resolveDir: root,
    }));
  },
};

/** A module that exports some names of a module of Node. */
function builtin(path, names) {
  const loaded = `process.getBuiltinModule(${JSON.stringify(path)})`;
  return names.map((name) => name === "default" ? `export default ${loaded};` : `export const { ${name} } = ${loaded};`).join("\n");
}

/** Shortens every module of a folder, and its source map to one place for each line. Maps name the sources by their paths in the repository. */
function shorten(folder) {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (/\.c?js$/.test(file)) writeFileSync(path, withoutIndentation(readFileSync(path, "utf8")));
    if (!/\.c?js\.map$/.test(file)) continue;
    const { version, sources, mappings } = JSON.parse(readFileSync(path, "utf8"));
    const named = sources.map((source) => relative(root, resolve(folder, source)));
    writeFileSync(path, JSON.stringify({ version, sources: named, names: [], mappings: lineMappings(mappings) }));
  }
}

/** Writes what the image runs, and the manifests by which a plugin that is mounted below the folder finds `thole/plugin` and the dependencies. */
async function writeImage(folder) {
  await bundle(folder, imageEntries, ["scripts/keep-code.mjs"]);
  const { name, version, license, type } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const exported = Object.fromEntries(Object.entries(imageEntries).map(([subpath, file]) => [subpath, `./${file}.js`]));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version, license, type, exports: exported }, undefined, 2)}\n`);
  writeFileSync(join(folder, "deno.json"), '{"nodeModulesDir":"manual"}\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeImage(resolve(process.argv[2]));
