/**
 * Node's compile cache for the program `thole`, in its data folder. Node runs the code of the cache without checking who wrote it, so a folder is
 * used only if no other user can write to it or replace it. Servers in memory have no cache, because they leave nothing behind.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";

const folderName = "compile-cache";

/**
 * The folder for the compile cache of a server with these arguments, created if absent. Undefined if there is none: before the first start
 * has created the data folder, in memory, for other commands, and if another user can write to a folder or replace it. Removes the caches of
 * other versions, so that the folder stays at the size of one (5 MB).
 *
 * @param words the command line, beginning with the path of the program
 * @param main path of the main module, whose text changes with every version of the package: it has the names of the other modules
 */
export function compileCacheFolder(words, main) {
  try {
    const named = dataFolder(words);
    if (named === undefined) return undefined;
    // The same folder from here on, even if a link on the way to it changes.
    const data = realpathSync(named);
    if (!isPrivate(data) || !foldersAbove(data).every(keepsEntries)) return undefined;
    const parent = join(data, folderName);
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    if (!isPrivate(parent)) return undefined;
    const version = createHash("sha256").update(process.version).update(readFileSync(main)).digest("hex").slice(0, 16);
    for (const other of readdirSync(parent).filter((each) => each !== version)) {
      rmSync(join(parent, other), { recursive: true, force: true });
    }
    return join(parent, version);
  } catch {
    return undefined; // No data folder yet, or one that cannot be written. The server reports it.
  }
}

/** The data folder of `thole [serve]`; undefined if it is in memory, or may be named in a configuration file. */
function dataFolder([program, ...args]) {
  const [first = "--"] = args;
  if (!first.startsWith("-") && first !== "serve") return undefined;
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

/** Whether no user but root can replace a folder of this user in the folder at this path. */
function keepsEntries(path) {
  const { uid, mode } = lstatSync(path);
  return (uid === 0 || uid === process.getuid?.()) && ((mode & writableByOthers) === 0 || (mode & sticky) !== 0);
}

function foldersAbove(path) {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
