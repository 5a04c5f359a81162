/** Makes the folder that KUBEBUILDER_ASSETS names. */
import { existsSync } from "node:fs";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { compatFlag } from "../../server/config/kube-apiserver-arguments.ts";
import { apiServerWord, etcdWord } from "./stand-in.ts";

/** What the folder has. */
export interface Layout {
  readonly folder: string;
  /** The etcd of the machine; undefined for the stand-in. */
  readonly etcd: string | undefined;
  /** The kubectl of the machine, if there is one. */
  readonly kubectl: string | undefined;
}

/** Writes the programs. Earlier ones of these names are replaced. `standsIn`: whether etcd is the stand-in although there is one. */
export async function makeLayout(dir: string, standsIn: boolean): Promise<Layout> {
  const folder = resolve(dir), etcd = standsIn ? undefined : onPath("etcd", folder), kubectl = onPath("kubectl", folder);
  await mkdir(folder, { recursive: true });
  const own = [process.execPath, ...runtimeFlags(), process.argv[1] ?? ""];
  await program(join(folder, "kube-apiserver"), etcd === undefined ? [...own, "envtest", apiServerWord] : [...own, compatFlag]);
  await program(join(folder, "etcd"), etcd === undefined ? [...own, "envtest", etcdWord] : [etcd]);
  if (kubectl === undefined) await rm(join(folder, "kubectl"), { force: true });
  else await program(join(folder, "kubectl"), [kubectl]);
  return { folder, etcd, kubectl };
}

/** The server of a test may do what it does on Node. */
function runtimeFlags(): readonly string[] {
  return "Deno" in globalThis
    ? ["run", "-A", "--no-check", "--quiet"]
    : process.execArgv.filter((flag) => flag.startsWith("--disable-warning"));
}

/** The path of a program, but for one in this folder: a layout that is on PATH must not call itself. */
function onPath(name: string, without: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((each) => each !== "" && resolve(each) !== without);
  return folders.map((each) => resolve(each, name)).find(existsSync);
}

/** Writes a script that becomes another program. A running one that has it open keeps the former. */
async function program(path: string, words: readonly string[]): Promise<void> {
  const next = `${path}.new`;
  await writeFile(next, `#!/bin/sh\nexec ${words.map(quoted).join(" ")} "$@"\n`);
  await chmod(next, 0o755);
  await rename(next, path);
}

/** A word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
