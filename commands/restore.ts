/** `thole restore`: puts a backup of an embedded store in its place, and says how a snapshot of etcd is restored. */
import { open } from "node:fs/promises";
import type { Plugin } from "../core/plugin.ts";
import { reasonOf } from "../core/reason-of.ts";
import { commandFlagsOf, joinValues, settingsOf } from "../server/config/command-flags.ts";
import type { Chosen } from "../server/config/commands.ts";
import { loadModule } from "../server/config/load-module.ts";
import { ConfigError } from "../server/config/parse.ts";
import { isInMemory } from "../server/config/in-memory.ts";
import { readConfiguration } from "../server/startup/read-configuration.ts";
import { progressOfCommand } from "./command-progress.ts";
import { printStoreErrors } from "./store-errors.ts";

/** Resolves with 0, with 1 if the backup or the folder cannot be used, or with 2 if another program has to restore it. Rejects for wrong flags. */
export function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  return printStoreErrors(() => restore(args, plugins));
}

async function restore(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const chosen: Chosen = { name: "restore", args }, { values: all, mistakes } = commandFlagsOf(chosen), values = joinValues(all);
  const from = values.get("from");
  const wrong = from === undefined && mistakes.length === 0 ? ['flag "--from" is needed: the file of the backup'] : mistakes;
  if (from === undefined || wrong.length > 0) throw new ConfigError(wrong);
  const configuration = await readConfiguration(settingsOf(chosen), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config } = configuration, dataDir = config["data-dir"];
  if (!await isSqlite(from)) return await explainSnapshot(from);
  if (config["etcd-servers"].length > 0) {
    throw new ConfigError([`"${from}" is a backup of an embedded store, and the settings name an etcd (--etcd-servers)`]);
  }
  if (isInMemory(config)) throw new ConfigError(["a store in memory would be lost at the end: set --data-dir"]);
  const { restoreFile } = await import("./backup/restore-file.ts");
  const keepsRevisions = values.has("keep-revisions"), { revision, keys } = await restoreFile(from, dataDir, keepsRevisions);
  const watches = keepsRevisions ? "clients that watch must be started again" : "clients that watch get 410 and list again";
  console.log(`restored to "${dataDir}": revision ${revision}, ${keys} keys. Start the server; ${watches}.`);
  return 0;
}

const sqliteHeader = "SQLite format 3\0";

async function isSqlite(path: string): Promise<boolean> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw new ConfigError([`flag "--from": ${reasonOf(error)}`]);
  });
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(sqliteHeader.length), 0, sqliteHeader.length, 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead)) === sqliteHeader;
  } finally {
    await file.close();
  }
}

/** Checks a snapshot, and prints the commands of etcd's own program, which alone can make the data folders of its members. */
async function explainSnapshot(from: string): Promise<number> {
  const { readBack } = await import("./backup/save-snapshot.ts");
  const { revision, keys } = await readBack(from, progressOfCommand());
  console.log(
    `"${from}" is a whole snapshot of etcd: revision ${revision}, ${keys} keys. Nothing was restored: only etcdutl, a part of etcd, can.
Stop the servers, then every member. For each member, with its own name and addresses:

  etcdutl snapshot restore ${from} --data-dir=NEW_FOLDER --name=NAME --initial-cluster=NAME=URL,... \\
    --initial-advertise-peer-urls=URL --bump-revision=1000000000 --mark-compacted

Start the members on their new folders, then the servers. To read the snapshot into an embedded store: thole import --from-snapshot=${from}`,
  );
  return 2;
}
