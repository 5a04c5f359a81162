/**
 * Loads the server of the package: one classic script, which exports a function for each of its entry modules. All modules of the package import it from
 * here, so that a plugin shares the classes of the server that loads it.
 *
 * V8 keeps the code of a script that has run, but of a module only that before it has run. So a start compiles little if it finds the code of an earlier one:
 * in a file beside the script, which the image has, or in the folder of Node's compile cache, where the first process without such a file writes it: a server
 * when it is ready and quiet, so that a later kill does not matter, others when they end without an error. V8 rejects code of other versions and flags of its
 * own, but crashes on damaged code: after the code, the file has a checksum of it and of the script.
 */
import { Buffer } from "node:buffer";
import { subscribe } from "node:diagnostics_channel";
import module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { isMainThread } from "node:worker_threads";
import { crc32 } from "node:zlib";

// An import of node:fs would load streams of files, which a start does not need.
const { closeSync, fstatSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = process.getBuiltinModule(
  "node:fs",
);

/* global SERVER_SCRIPT -- the file name of the script, set by bundle.mjs */
const path = join(dirname(fileURLToPath(import.meta.url)), SERVER_SCRIPT), require = createRequire(import.meta.url);

/** Bytes of the checksum. */
const sumBytes = 4;

/** Files in a folder for several versions of the package, which is what NODE_COMPILE_CACHE may name. Each has 4 to 5 MB. */
const filesMax = 4;

/** Blocks that are more than what the C library of Linux keeps free at the end of its heap, and each small enough to be there. Nobody writes to them. */
const freedBlocks = 8, freedBlockBytes = 4_000_000;

/** A server is quiet if it takes at most so much CPU time between two looks. After so many looks its code is written when it ends. */
const quietMs = 1000, quietCpuMs = 25, looksMax = 60;

/** For `node --enable-source-maps`: Node's own loader reads them. Deno reports them as enabled always. */
const needsSourceMaps = process.sourceMapsEnabled === true && !("Deno" in globalThis);
const loaded = needsSourceMaps ? { exports: require(path), script: undefined, sum: undefined } : run();

/** The entry modules of the server: each function returns the exports of one, and runs it first if nobody has. */
export const server = loaded.exports;

/** Writes the code that has run so far beside the script, for every user to read. Throws if that fails. */
export function keepCode() {
  writeFileSync(`${path}.code`, checked(loaded.script.createCachedData(), loaded.sum), { mode: 0o644 });
}

function run() {
  const folder = module.getCompileCacheDir?.(), text = readFileSync(path), sum = crc32(text);
  const places = [`${path}.code`, ...(folder === undefined ? [] : [join(folder, `${SERVER_SCRIPT}.code`)])];
  const cachedData = places.map((place) => codeOf(place, sum)).find((code) => code !== undefined);
  const script = new Script(module.wrap(text.latin1Slice()), { filename: path, cachedData });
  if (folder !== undefined && isMainThread && script.cachedDataRejected !== false) keepOnce(() => keepIn(folder, script, sum));
  const own = { exports: {}, importModule: (specifier) => import(specifier) };
  script.runInThisContext()(own.exports, require, own, path, dirname(path));
  return { exports: own.exports, script, sum };
}

/** Calls `keep` once: when a server of this process is ready and quiet, or at the end of the process. */
function keepOnce(keep) {
  let isKept = false;
  const once = () => {
    if (!isKept) keep();
    isKept = true;
  };
  // What ends with an error has not run all of a start.
  process.once("exit", (code) => code === 0 && once());
  subscribe("thole.ready", () => {
    let looks = 0, before = process.cpuUsage();
    const looking = setInterval(() => {
      const { user, system } = process.cpuUsage(before), isQuiet = (user + system) / 1000 <= quietCpuMs;
      before = process.cpuUsage();
      if (isKept || isQuiet || ++looks === looksMax) clearInterval(looking);
      if (isKept || !isQuiet) return;
      once();
      module.flushCompileCache?.();
    }, quietMs).unref();
  });
}

/** `textSum`: the checksum of the script, instead of its text, which would stay in memory. */
function checked(code, textSum) {
  const sum = Buffer.alloc(sumBytes);
  sum.writeUInt32BE(crc32(code, textSum));
  return Buffer.concat([code, sum]);
}

/**
 * Gives the memory of buffers back to the system, and what V8 took to write the code. The C library keeps it, unless enough is free at the end of its heap:
 * blocks there add to it until it is returned.
 */
function free(...buffers) {
  const blocks = Array.from({ length: freedBlocks }, () => Buffer.allocUnsafeSlow(freedBlockBytes));
  for (const { buffer } of [...buffers, ...blocks]) buffer.transfer(0);
}

/** The code in a file, if it is whole, that of the text with this checksum, and nobody wrote it who could not change the script as well. */
function codeOf(place, textSum) {
  let file;
  try {
    file = openSync(place);
    if (!isTrusted(fstatSync(file))) return undefined;
    const bytes = readFileSync(file), code = bytes.subarray(0, -sumBytes);
    return bytes.readUInt32BE(code.length) === crc32(code, textSum) ? code : undefined;
  } catch {
    return undefined; // No code yet, or less than a checksum.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Whether only the owner of the script, or this user, can write to a file: the checksum tells damage, but not forgery. */
function isTrusted({ uid, mode }) {
  const writableByOthers = 0o022;
  return (mode & writableByOthers) === 0 && (uid === statSync(path).uid || uid === process.getuid?.());
}

/** Other processes may read and write the same file. The folder may have code of other versions, and what processes that were killed have not finished. */
function keepIn(folder, script, textSum) {
  const place = join(folder, `${SERVER_SCRIPT}.code`), unfinished = `${place}.${process.pid}`;
  try {
    const code = script.createCachedData(), whole = checked(code, textSum);
    writeFileSync(unfinished, whole, { mode: 0o600, flag: "wx" });
    free(code, whole);
    renameSync(unfinished, place);
    const written = (name) => statSync(join(folder, name)).mtimeMs;
    const kept = readdirSync(folder).filter((name) => /^server-\w+\.cjs\.code/.test(name)).map((name) => ({ name, at: written(name) }));
    for (const { name } of kept.sort((a, b) => b.at - a.at).slice(filesMax)) rmSync(join(folder, name), { force: true });
  } catch {
    // The folder is gone, or the disk is full: the next start compiles again.
    rmSync(unfinished, { force: true });
  }
}
