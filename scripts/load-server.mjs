/**
 * Loads the server of the package: one classic script, which exports a function for each of its entry modules. All modules of the package import it from
 * here, so that a plugin shares the classes of the server that loads it.
 *
 * V8 keeps the code of a script that has run, but of a module only that before it has run. So a start compiles little if it finds the code of an earlier one:
 * in a file beside the script, which the image has, or in the folder of Node's compile cache, where the first process without such a file writes it when it
 * ends. V8 rejects code of other versions and flags of its own, and the name of the script is a hash of its text.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { isMainThread } from "node:worker_threads";

/* global SERVER_SCRIPT -- the file name of the script, set by bundle.mjs */
const path = join(dirname(fileURLToPath(import.meta.url)), SERVER_SCRIPT), require = createRequire(import.meta.url);

/** For `node --enable-source-maps`: Node's own loader reads them. Deno reports them as enabled always. */
const needsSourceMaps = process.sourceMapsEnabled === true && !("Deno" in globalThis);
const loaded = needsSourceMaps ? { exports: require(path), script: undefined } : run();

/** The entry modules of the server: each function returns the exports of one, and runs it first if nobody has. */
export const server = loaded.exports;

/** Writes the code that has run so far beside the script, for every user to read. Throws if that fails. */
export function keepCode() {
  writeFileSync(`${path}.code`, loaded.script.createCachedData());
}

function run() {
  const folder = module.getCompileCacheDir?.();
  const places = [`${path}.code`, ...(folder === undefined ? [] : [join(folder, `${SERVER_SCRIPT}.code`)])];
  const cachedData = places.map(read).find((code) => code !== undefined);
  const script = new Script(module.wrap(readFileSync(path, "latin1")), { filename: path, cachedData });
  if (folder !== undefined && isMainThread && script.cachedDataRejected !== false) process.once("exit", () => keepFor(places[1], script));
  const own = { exports: {}, importModule: (specifier) => import(specifier) };
  script.runInThisContext()(own.exports, require, own, path, dirname(path));
  return { exports: own.exports, script };
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // No code yet.
  }
}

/** Other processes may read and write the same file. */
function keepFor(path, script) {
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, script.createCachedData(), { mode: 0o600 });
    renameSync(unfinished, path);
  } catch {
    // The folder is gone, or the disk is full: the next start compiles again.
  }
}
