// Builds the npm package: `npm run pack [-- FOLDER]`. FOLDER (default: build) gets `package/`, which is the content, and the tarball.
//
// `bundle.mjs` makes the modules. `tsc` writes the declarations, and only those are kept that an entry point reaches.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { gunzipSync, gzipSync } from "node:zlib";
import { bundle, entries } from "./bundle.mjs";
import { root } from "./runtimes.mjs";
import { sortedTar } from "./sorted-tar.mjs";

/** What only the repository needs: `npm start` runs the server on Deno. */
const repositoryOnly = ["deno"];

/** Scopes of packages that only tracing needs: who traces installs them. */
const optionalScopes = ["@opentelemetry/", "@grpc/"];

/** The oldest Node with node:sqlite without a flag. */
const engines = { node: ">=22.13.0" };

const copied = ["README.md", "LICENSE", "man/thole.1"];

function writeDeclarations(folder) {
  const config = join(folder, "tsconfig.declarations.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        noCheck: true,
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
      "cel",
      "client",
      "commands",
      "core",
      "health",
      "kernel",
      "man",
      "metrics",
      "plugins",
      "protocols",
      "server",
      "testing",
      "*.cjs",
      "*.cjs.map",
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
