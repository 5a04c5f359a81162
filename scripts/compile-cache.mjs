/**
 * Node's compile cache for the program `thole`, in the cache folder of the user, or else in the data folder. Node runs the code of the cache without
 * checking who wrote it, so a folder is used only if no other user can write to it or replace it.
 */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

// The global `process`, and `require`: an import of node:process opens the standard streams, and one of node:fs loads streams of files. Node has no
// `process.getBuiltinModule` in the versions that `thole` refuses.
const { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, utimesSync } = createRequire(import.meta.url)("node:fs");

/** Names of the folders in the data folder and in the cache folder of the user. */
const inData = "compile-cache", inUserCache = "thole";

/** Caches of versions that are kept in the folder of the user, which several installations share. Each has 5 MB. The data folder has one. */
const versionsMax = 4;

/** Options that end without a start: their code is not that of a server. */
const withoutStart = new Set(["--help", "-h", "--version"]);

/**
 * The folder for the compile cache of a server with these arguments, created if absent: in `$XDG_CACHE_HOME/thole` or `~/.cache/thole`, or else in the
 * data folder. Undefined if there is none: for other commands, if the environment names Node's compile cache or disables it, and if another user can
 * write to the folders or replace them. Removes the caches of the versions that were not used for the longest time.
 *
 * @param words the command line, beginning with the path of the program
 * @param main path of the main module, whose text changes with every version of the package: it has the names of the other modules
 */
export function compileCacheFolder(words, main, env = process.env) {
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE || !isStart(words)) return undefined;
  return cacheIn(() => userCache(env), inUserCache, versionsMax, main) ?? cacheIn(() => dataFolder(words), inData, 1, main);
}

/** The folder of this version in a folder of this name. `place` returns its parent. */
function cacheIn(place, name, kept, main) {
  try {
    const named = place();
    if (named === undefined) return undefined;
    // The same folder from here on, even if a link on the way to it changes.
    const real = realpathSync(named);
    if (!isSafe(real)) return undefined;
    const parent = join(real, name);
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    if (!isPrivate(parent)) return undefined;
    const version = createHash("sha256").update(process.version).update(readFileSync(main)).digest("hex").slice(0, 16);
    const folder = join(parent, version), now = new Date();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    utimesSync(folder, now, now);
    const others = readdirSync(parent).filter((each) => each !== version).map((each) => join(parent, each));
    const used = new Map(others.map((path) => [path, lstatSync(path).mtimeMs]));
    for (const path of others.sort((a, b) => used.get(b) - used.get(a)).slice(kept - 1)) rmSync(path, { recursive: true, force: true });
    return folder;
  } catch {
    return undefined; // No such folder yet, or one that cannot be written. The server reports it if it is the data folder.
  }
}

/** The cache folder of the user. Creates `~/.cache`, as others do, but no home. */
function userCache({ XDG_CACHE_HOME: cache, HOME: home }) {
  if (cache) return isAbsolute(cache) ? cache : undefined;
  if (!home || !isAbsolute(home)) return undefined;
  const real = realpathSync(home), folder = join(real, ".cache");
  if (!isSafe(real)) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Whether the command line is that of `thole [serve]`. */
function isStart([, ...args]) {
  const [first = "--"] = args;
  return (first.startsWith("-") || first === "serve") && !args.some((word) => withoutStart.has(word));
}

/** The data folder of a server; undefined if it is in memory, or may be named in a configuration file. */
function dataFolder([program, ...args]) {
  // In place of kube-apiserver everything is in memory or in etcd.
  let folder = basename(program) === "kube-apiserver" || args.includes("--compat=kube-apiserver") ? "" : "thole-data";
  for (const [at, word] of args.entries()) {
    if (word === "--config" || word.startsWith("--config=")) return undefined;
    if (word === "--data-dir") folder = args[at + 1] ?? "";
    else if (word.startsWith("--data-dir=")) folder = word.slice("--data-dir=".length);
  }
  return folder === "" || folder === ":memory:" ? undefined : resolve(folder);
}

const writableByOthers = 0o022, sticky = 0o1000;

/** Whether a path is a folder of this user, and no link, that no other user may write to. */
function isPrivate(path) {
  const stat = lstatSync(path);
  return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & writableByOthers) === 0;
}

/** Whether a folder is private, and no other user but root can replace it or a folder above. */
function isSafe(path) {
  return isPrivate(path) && foldersAbove(path).every(keepsEntries);
}

/** Whether no user but root can replace a folder of this user in the folder at this path. */
function keepsEntries(path) {
  const { uid, mode } = lstatSync(path);
  return (uid === 0 || uid === process.getuid?.()) && ((mode & writableByOthers) === 0 || (mode & sticky) !== 0);
}

function foldersAbove(path) {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
