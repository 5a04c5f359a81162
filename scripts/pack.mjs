// Builds the npm package: `npm run pack [-- FOLDER]`. FOLDER (default: build) gets `package/`, which is the content, and the tarball.
//
// esbuild makes one module of each set of modules that the same entry points use, so that a start reads few files and each module exists
// once, also for plugins and workers. Tests and benchmarks are not reachable from the entry points. `tsc` writes the declarations, and only
// those are kept that an entry point reaches.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { withoutIndentation } from "./indentation.mjs";
import { lineMappings } from "./line-maps.mjs";
import { root } from "./runtimes.mjs";
import { sortedTar } from "./sorted-tar.mjs";

/** The modules that are imported by name, by the subpath of the export. */
const entries = { ".": "mod", "./plugin": "plugin", "./testing": "testing" };

/** The modules that are loaded by their address. All modules are in one folder, where `siblingModule` finds those of workers. */
const programs = [
  "kernel/main",
  "kernel/command/worker-process",
  "kernel/heavy/worker-node",
  "kernel/heavy/worker-web",
  "kernel/store/sqlite/thread-node",
  "kernel/store/sqlite/thread-web",
];

/** What only the repository needs: `npm start` runs the server on Deno. */
const repositoryOnly = ["deno"];

/** Scopes of packages that only tracing needs: who traces installs them. */
const optionalScopes = ["@opentelemetry/", "@grpc/"];

/** The oldest Node with node:sqlite without a flag. The JavaScript is of this language version: Node 22 has no `using`. */
const engines = { node: ">=22.13.0" };
const target = "es2024";

/**
 * Modules of Node whose import as a module evaluates getters that load much: `http` loads the client of fetch, `process` opens the standard
 * streams. The names are those that are imported.
 */
const withGetters = { "node:http": ["Agent", "IncomingMessage", "request", "ServerResponse"], "node:process": ["default"] };

const copied = ["README.md", "LICENSE", "man/thole.1"];

/** Bundles the entry points and programs into `content`. */
async function bundle(content) {
  const paths = [...Object.values(entries), ...programs];
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
}

/** A module that exports some names of a module of Node. */
function builtin(path, names) {
  const loaded = `process.getBuiltinModule(${JSON.stringify(path)})`;
  return names.map((name) => name === "default" ? `export default ${loaded};` : `export const { ${name} } = ${loaded};`).join("\n");
}

function writeDeclarations(folder) {
  const config = join(folder, "tsconfig.declarations.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rewriteRelativeImportExtensions: true,
        rootDir: root,
        outDir: join(folder, "package"),
        typeRoots: [join(root, "node_modules/@types")],
      },
      files: Object.values(entries).map((path) => join(root, `${path}.ts`)),
      include: [],
    }),
  );
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config], { stdio: "inherit" });
    child.on("error", failed);
    child.on("close", (code) => code === 0 ? done() : failed(new Error(`tsc exits with ${code}`)));
  });
}

/** Removes the declarations that no entry point reaches. */
function removeUnreachable(folder) {
  const reached = new Set();
  const waiting = Object.values(entries).map((name) => join(folder, `${name}.d.ts`));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const [, specifier] of readFileSync(path, "utf8").matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g)) {
      waiting.push(resolve(dirname(path), specifier.replace(/\.(ts|js)$/, ".d.ts")));
    }
  }
  for (const file of readdirSync(folder, { recursive: true })) {
    const path = join(folder, file);
    if (file.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
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

function manifest() {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { name, version, description, license, type, dependencies } = own;
  const isOptional = (each) => optionalScopes.some((scope) => each.startsWith(scope));
  const needed = Object.entries(dependencies).filter(([each]) => !repositoryOnly.includes(each));
  const peers = needed.filter(([each]) => isOptional(each));
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { thole: "bin/thole.js", "kube-apiserver": "bin/thole.js" },
    man: "./man/thole.1",
    exports: {
      ...Object.fromEntries(
        Object.entries(entries).map(([subpath, file]) => [subpath, { types: `./${file}.d.ts`, default: `./${file}.js` }]),
      ),
      "./package.json": "./package.json",
    },
    files: [
      "bin",
      "core",
      "health",
      "kernel",
      "man",
      "metrics",
      "plugins",
      "*.js",
      "*.js.map",
      "*.d.ts",
      "CHANGELOG.md",
      "thole.schema.json",
    ],
    dependencies: Object.fromEntries(needed.filter(([each]) => !isOptional(each))),
    peerDependencies: Object.fromEntries(peers),
    peerDependenciesMeta: Object.fromEntries(peers.map(([each]) => [each, { optional: true }])),
  };
}

async function main() {
  const folder = resolve(process.argv[2] ?? join(root, "build"));
  const content = join(folder, "package");
  rmSync(content, { recursive: true, force: true });
  for (const name of ["bin", "man"]) mkdirSync(join(content, name), { recursive: true });
  await Promise.all([bundle(content), writeDeclarations(folder)]);
  removeUnreachable(content);
  shorten(content);
  copyFileSync(join(root, "scripts/thole.mjs"), join(content, "bin/thole.js"));
  copyFileSync(join(root, "scripts/compile-cache.mjs"), join(content, "bin/compile-cache.mjs"));
  for (const file of copied) copyFileSync(join(root, file), join(content, file));
  // For programs only: without indentation.
  writeFileSync(join(content, "thole.schema.json"), JSON.stringify(JSON.parse(readFileSync(join(root, "thole.schema.json"), "utf8"))));
  const packed = manifest();
  writeFileSync(join(content, "package.json"), `${JSON.stringify(packed, undefined, 2)}\n`);
  const npm = spawnSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: content,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (npm.status !== 0) throw new Error(`npm pack exits with ${npm.status ?? npm.error?.message}`);
  const tarball = join(folder, `${packed.name}-${packed.version}.tgz`);
  writeFileSync(tarball, gzipSync(sortedTar(gunzipSync(readFileSync(tarball))), { level: 9 }));
  console.log(`${tarball} ${statSync(tarball).size} bytes`);
}

await main();
