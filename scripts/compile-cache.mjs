/**
 * Node's compile cache for the program `thole`, in its data folder: compiled code is read by the process that runs it, so only folders that
 * nobody else can write to are used. Servers in memory have no cache, because they leave nothing behind.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import process from "node:process";

const folderName = "compile-cache";

/**
 * The folder for the compile cache of a server with these arguments, created if absent; undefined if there is none: before the first start
 * has created the data folder, in memory, for other commands, and if another user owns a folder or may write to it. Removes the caches of other
 * versions, so that the folder stays at the size of one (2 MB).
 *
 * @param words the command line, beginning with the path of the program
 * @param main path of the main module, whose text changes with every version of the package: it has the names of the other modules
 */
export function compileCacheFolder(words, main) {
  try {
    const data = dataFolder(words);
    if (data === undefined || !isPrivate(data)) return undefined;
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

/** Whether a path is a folder of this user, and no link, that no other user may write to. */
function isPrivate(path) {
  const stat = lstatSync(path);
  return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
}
