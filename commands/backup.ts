/** `thole backup`: copies the store to a file, also while servers use it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Plugin } from "../core/plugin.ts";
import { commandFlagsOf, joinValues, settingsOf } from "../server/config/command-flags.ts";
import type { Chosen } from "../server/config/commands.ts";
import { loadModule } from "../server/config/load-module.ts";
import { ConfigError } from "../server/config/parse.ts";
import { etcdPlaces } from "../server/config/server-overrides.ts";
import type { Config } from "../server/config/settings.ts";
import { readTls } from "../server/startup/open-store.ts";
import { isInMemory } from "../server/config/in-memory.ts";
import { readConfiguration } from "../server/startup/read-configuration.ts";
import type { StoreContents } from "./backup/store-file.ts";
import { progressOfCommand } from "./command-progress.ts";
import { printStoreErrors } from "./store-errors.ts";

/** Resolves with 0, or with 1 if the store or the file fails. Rejects for wrong flags. */
export function run(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  return printStoreErrors(() => backUp(args, plugins));
}

async function backUp(args: readonly string[], plugins: readonly Plugin[]): Promise<number> {
  const chosen: Chosen = { name: "backup", args }, { values: all, mistakes } = commandFlagsOf(chosen), to = joinValues(all).get("to");
  const wrong = to === undefined && mistakes.length === 0 ? ['flag "--to" is needed: the file of the backup'] : mistakes;
  if (to === undefined || wrong.length > 0) throw new ConfigError(wrong);
  const configuration = await readConfiguration(settingsOf(chosen), plugins, loadModule);
  if (configuration === undefined) return 0; // --help is another command.
  const { config } = configuration;
  const print = (file: string, { revision, keys }: StoreContents) => console.log(`${file}: revision ${revision}, ${keys} keys`);
  if (config["etcd-servers"].length === 0) print(to, await backUpEmbedded(config, to));
  else await backUpEtcds(config, to, print);
  return 0;
}

async function backUpEmbedded(config: Config, to: string): Promise<StoreContents> {
  const path = join(config["data-dir"], "store.sqlite");
  if (isInMemory(config)) throw new ConfigError(["a store in memory cannot be read by another process"]);
  if (!existsSync(path)) throw new ConfigError([`there is no store in "${config["data-dir"]}" (--data-dir)`]);
  const { backUpFile } = await import("./backup/copy-file.ts");
  return await backUpFile(path, to);
}

/** Each etcd of --etcd-servers-overrides has a file of its own. */
async function backUpEtcds(config: Config, to: string, print: (file: string, contents: StoreContents) => void): Promise<void> {
  const { saveSnapshot } = await import("./backup/save-snapshot.ts");
  const tls = config["etcd-cafile"] === "" && config["etcd-certfile"] === "" ? undefined : await readTls(config);
  const say = (line: string) => process.stderr.write(`thole: ${line}\n`);
  for (const [number, endpoints] of etcdPlaces(config).servers.entries()) {
    const file = number === 0 ? to : `${to}.override-${number - 1}`;
    print(
      file,
      await saveSnapshot({ endpoints, ...(tls === undefined ? {} : { tls: () => tls }), to: file, say, progress: progressOfCommand() }),
    );
  }
}
