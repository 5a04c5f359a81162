/** The server of `thole dev`, in a process of its own. It ends with `dev`, also when that is killed. */
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";
import type { Plugin } from "../core/plugin.ts";
import { run as serve } from "../server/process/serve.ts";

/** Internal flag, only as the first word after `dev`: the temporary folder, which the server removes when `dev` has ended without removing it. */
const folderFlag = "--abandoned-folder=";

/** Returns the words of the program for a server with these arguments and that temporary folder, if any. */
export function serverWords(args: readonly string[], folder: string | undefined): readonly string[] {
  return folder === undefined ? ["serve", ...args, ending] : ["dev", `${folderFlag}${folder}`, ...args, ending];
}

const ending = "--exit-on-stdin-close";

/** Begin of the names of temporary folders. */
export const folderPrefix = "thole-dev-";

/** Whether the words after `dev` are those of its server. No other folder than one of `dev` is removed. */
export function isServer([first = ""]: readonly string[]): boolean {
  const folder = first.slice(folderFlag.length);
  return first.startsWith(folderFlag) && dirname(folder) === tmpdir() && basename(folder).startsWith(folderPrefix);
}

export function runServer([first = "", ...args]: readonly string[], plugins: readonly Plugin[]): Promise<number | undefined> {
  return serve(args, plugins, { abandoned: () => rm(first.slice(folderFlag.length), { recursive: true, force: true }) });
}
