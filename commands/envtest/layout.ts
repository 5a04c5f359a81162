/** Makes the folder that KUBEBUILDER_ASSETS names. */
import { existsSync } from "node:fs";
import { chmod, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { UsageError } from "../../server/config/commands.ts";
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

/**
 * Writes the programs. Earlier ones that it has written are replaced. Throws a UsageError if the folder has other programs of these names. `standsIn`: whether
 * etcd is the stand-in although there is one.
 */
export async function makeLayout(dir: string, standsIn: boolean): Promise<Layout> {
  const folder = resolve(dir), etcd = standsIn ? undefined : onPath("etcd", folder), kubectl = onPath("kubectl", folder);
  await mkdir(folder, { recursive: true });
  for (const name of ["kube-apiserver", "etcd", "kubectl"]) await checkOwn(join(folder, name));
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

/** The begin of each script. */
const scriptBegin = "#!/bin/sh\nexec '";

/** Throws if there is a program that is no script of this command: it may be the only one of its user. */
async function checkOwn(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(scriptBegin.length), 0, scriptBegin.length, 0);
    if (new TextDecoder().decode(buffer.subarray(0, bytesRead)) === scriptBegin) return;
  } finally {
    await file.close();
  }
  throw new UsageError(`envtest: "${path}" is another program, and is not replaced: choose a folder of its own (--dir)`);
}

/** Writes a script that becomes another program. A running one that has it open keeps the former. */
async function program(path: string, words: readonly string[]): Promise<void> {
  const next = `${path}.new`;
  await writeFile(next, `${scriptBegin}${words.map(quoted).join(" ").slice(1)} "$@"\n`);
  await chmod(next, 0o755);
  await rename(next, path);
}

/** A word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
